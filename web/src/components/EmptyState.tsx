/** What stands where there is nothing to show: what is missing, and what to do. */
import "./empty.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";

/** Show a title, an explanation, and perhaps a button as `action`. */
export function EmptyState(props: {
  icon?: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      {props.icon && <Icon name={props.icon} size={24} />}
      <p class="empty-title">{props.title}</p>
      {props.children && <div class="empty-text">{props.children}</div>}
      {props.action}
    </div>
  );
}
