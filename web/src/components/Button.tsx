/** A button, with words, an icon or both. */
import "./button.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";

type Native = Omit<JSX.IntrinsicElements["button"], "icon" | "label">;

export interface ButtonProps extends Native {
  icon?: IconName;
  /** What the button does, where it shows an icon alone. */
  label?: string;
  /** `primary`: the one main action of a view. `quiet`: no edge. `danger`: ends or removes something. */
  kind?: "plain" | "primary" | "quiet" | "danger";
  pressed?: boolean;
  children?: ComponentChildren;
}

/** Show a button. */
export function Button({ icon, label, kind = "plain", pressed, children, class: more, ...rest }: ButtonProps): JSX.Element {
  const lone = icon && !children ? " button-icon" : "";
  return (
    <button
      type="button"
      {...rest}
      class={`button button-${kind}${lone}${more ? ` ${String(more)}` : ""}`}
      aria-label={label}
      title={rest.title ?? label}
      aria-pressed={pressed}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
