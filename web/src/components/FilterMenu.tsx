/** A button that opens a list of values to choose from. The chosen ones are in the address. */
import "./filter.css";
import type { JSX } from "preact";
import { useId, useRef } from "preact/hooks";
import { choiceList, chooseList } from "../state/address";
import { formatCount } from "../state/format";
import { Icon } from "./icons";
import { placeBeside } from "./Tooltip";

export interface FilterOption {
  readonly value: string;
  readonly title?: string;
  /** How many rows have the value. */
  readonly count: number;
}

/** Show the button and, while it is open, its list. Nothing is shown where there is nothing to choose. */
export function FilterMenu(props: { name: string; title: string; options: readonly FilterOption[] }): JSX.Element | null {
  const { name, title, options } = props;
  const chosen = choiceList(name);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  if (options.length < 2 && chosen.length === 0) return null;
  const shown = chosen.length === 1 ? (options.find((one) => one.value === chosen[0])?.title ?? chosen[0]) : formatCount(chosen.length);
  const toggle = (value: string): void =>
    chooseList(name, chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value]);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`button filter-button${chosen.length ? " filter-chosen" : ""}`}
        popovertarget={id}
      >
        {title}
        {chosen.length > 0 && <span class="filter-value clip">{shown}</span>}
        <Icon name="down" size={12} />
      </button>
      <div
        ref={list}
        id={id}
        class="filter-list"
        popover="auto"
        role="group"
        aria-label={title}
        onToggle={() => {
          if (!list.current?.matches(":popover-open") || !button.current) return;
          placeBeside(list.current, button.current.getBoundingClientRect());
          list.current.querySelector<HTMLElement>("input")?.focus();
        }}
      >
        {options.map((one) => (
          <label class="filter-option" key={one.value}>
            <input type="checkbox" checked={chosen.includes(one.value)} onChange={() => toggle(one.value)} />
            <span class="clip">{one.title ?? one.value}</span>
            <span class="num faint">{formatCount(one.count)}</span>
          </label>
        ))}
        {chosen.length > 0 && (
          <button type="button" class="button button-quiet filter-clear" onClick={() => chooseList(name, [])}>
            Clear
          </button>
        )}
      </div>
    </>
  );
}
