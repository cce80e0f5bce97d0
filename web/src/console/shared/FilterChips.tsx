/** Filters with counts, of which one holds. */

import "./chips.css";
import type { JSX } from "preact";
import { formatCount } from "../../state/format";

export interface FilterChoice {
  readonly value: string;
  readonly name: string;
  readonly count: number | null;
}

export function FilterChips(props: {
  label: string;
  chosen: string;
  all: number | null;
  choices: readonly FilterChoice[];
  onChoose: (value: string) => void;
}): JSX.Element {
  const all: FilterChoice = { value: "", name: "All", count: props.all };
  return (
    <div class="chips" role="group" aria-label={props.label}>
      {[all, ...props.choices].map((one) => (
        <button
          key={one.value}
          type="button"
          class="chip"
          aria-pressed={props.chosen === one.value}
          onClick={() => props.onChoose(one.value)}
        >
          {one.name}
          {one.count !== null && <span class="chip-count">{formatCount(one.count)}</span>}
        </button>
      ))}
    </div>
  );
}
