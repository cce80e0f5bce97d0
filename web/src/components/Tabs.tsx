/** Tabs: one of several views of the same thing. Arrow keys move between them. */
import "./tabs.css";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { formatCount } from "../state/format";
import { type Key, useKeys } from "./keys";

export interface Tab {
  readonly id: string;
  readonly title: string;
  readonly count?: number;
}

/** What keys do while a tab has the focus. The list of tabs understands them by itself. */
const KEYS: readonly Key[] = [
  { key: "ArrowRight", does: "next tab" },
  { key: "ArrowLeft", does: "tab before" },
  { key: "Home", does: "first tab" },
  { key: "End", does: "last tab" },
];

/** Show the tabs. The caller shows the panel: give it `id={panel}` and `role="tabpanel"`. */
export function Tabs(props: {
  tabs: readonly Tab[];
  current: string;
  onChange: (id: string) => void;
  label: string;
  panel: string;
}): JSX.Element {
  const { tabs, current, onChange } = props;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (list.current) revealTab(list.current, current);
  }, [current, tabs.length]);
  useKeys("While a tab has the focus", KEYS);
  const press = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next.id);
    (event.currentTarget as HTMLElement).querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.id)}"]`)?.focus();
  };
  return (
    <div class="tabs" ref={list} role="tablist" aria-label={props.label} onKeyDown={press}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          type="button"
          class="tab"
          role="tab"
          data-tab={tab.id}
          aria-selected={tab.id === current}
          aria-controls={tab.id === current ? props.panel : undefined}
          tabIndex={tab.id === current ? 0 : -1}
          onClick={() => onChange(tab.id)}
        >
          {tab.title}
          {tab.count !== undefined && <span class="tab-count">{formatCount(tab.count)}</span>}
        </button>
      ))}
    </div>
  );
}

/** Scroll the tabs, and not the page, until a tab is in sight: a narrow page has no room for all. */
function revealTab(list: HTMLElement, id: string): void {
  const tab = list.querySelector<HTMLElement>(`[data-tab="${CSS.escape(id)}"]`);
  if (!tab) return;
  const [from, to] = [tab.offsetLeft - list.offsetLeft, tab.offsetLeft - list.offsetLeft + tab.offsetWidth];
  if (from < list.scrollLeft) list.scrollLeft = from;
  else if (to > list.scrollLeft + list.clientWidth) list.scrollLeft = to - list.clientWidth;
}
