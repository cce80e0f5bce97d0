/** The fields of a batch beside its tasks. */

import type { JSX } from "preact";
import type { BatchFields } from "./submission";

const DEADLINES: readonly (readonly [string, number | null])[] = [
  ["none", null],
  ["in 1 hour", 1],
  ["in 2 hours", 2],
  ["in 8 hours", 8],
  ["in a day", 24],
  ["in a week", 168],
];

export function BatchFieldset(props: {
  fields: BatchFields;
  /** Whether the batch may have a deadline of its own; those of schedules have not. */
  hasDeadline?: boolean;
  onChange: (fields: BatchFields) => void;
}): JSX.Element {
  const { fields } = props;
  const set = (changed: Partial<BatchFields>): void => props.onChange({ ...fields, ...changed });
  return (
    <>
      <label class="labelled">
        <span class="labelled-name">Name</span>
        <input
          class="input"
          maxLength={200}
          value={fields.name}
          placeholder="nightly regression"
          onInput={(event) => set({ name: event.currentTarget.value })}
        />
      </label>
      <label class="labelled">
        <span class="labelled-name">Phones</span>
        <input
          class="input mono"
          maxLength={500}
          value={fields.phones}
          placeholder="model=Pixel 8, android>=13"
          spellcheck={false}
          onInput={(event) => set({ phones: event.currentTarget.value })}
        />
        <span class="labelled-help">A selector by labels. Empty: all phones.</span>
      </label>
      <div class="field-pair">
        <label class="labelled">
          <span class="labelled-name">Priority</span>
          <input
            class="input"
            type="number"
            min={-100}
            max={100}
            step={1}
            value={fields.priority}
            onInput={(event) => set({ priority: Math.round(event.currentTarget.valueAsNumber) || 0 })}
          />
        </label>
        {props.hasDeadline !== false && (
          <label class="labelled">
            <span class="labelled-name">Deadline</span>
            <select
              class="input"
              value={String(fields.hours)}
              onChange={(event) => set({ hours: event.currentTarget.value === "null" ? null : Number(event.currentTarget.value) })}
            >
              {DEADLINES.map(([words, hours]) => (
                <option key={words} value={String(hours)}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <label class="labelled">
        <span class="labelled-name">Tags</span>
        <input
          class="input"
          defaultValue={fields.tags.join(", ")}
          placeholder="nightly, release-4.2"
          onInput={(event) => set({ tags: event.currentTarget.value.split(",").map((tag) => tag.trim()).filter(Boolean) })}
        />
        <span class="labelled-help">Words, with commas between them.</span>
      </label>
    </>
  );
}
