/** A few choices beside each other, of which one holds. */

import type { JSX } from "preact";

export function Segments<Value extends string>(props: {
  label: string;
  value: Value;
  choices: readonly { readonly value: Value; readonly name: string; readonly words?: string }[];
  onChoose: (value: Value) => void;
}): JSX.Element {
  return (
    <div class="choice-bar" role="group" aria-label={props.label}>
      {props.choices.map((one) => (
        <button
          key={one.value}
          type="button"
          class="choice-part"
          title={one.words}
          aria-pressed={one.value === props.value}
          onClick={() => props.onChoose(one.value)}
        >
          {one.name}
          {one.words && <span class="unseen">: {one.words}</span>}
        </button>
      ))}
    </div>
  );
}
