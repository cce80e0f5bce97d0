/** A text of a step as a difference to the step before; one that did not change is folded. */
import "./changedText.css";
import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { diffWords } from "./wordDiff";

/** Show a labelled text. `before`: the same text at the step before; undefined if there is nothing to compare. */
export function ChangedText(props: { label: string; text: string; before?: string | undefined }): JSX.Element | null {
  const { label, text, before } = props;
  if (!text) return null;
  if (before !== undefined && text === before) {
    return (
      <details class="field field-folded">
        <summary>
          <span class="field-label">{label}</span>
          <span class="field-hint">as before</span>
          <span class="field-peek clip">{text}</span>
        </summary>
        <LongText>{text}</LongText>
      </details>
    );
  }
  return (
    <Field label={label} hint={before === undefined ? undefined : before ? "changed" : "new"}>
      <LongText>{before ? <WordChanges before={before} after={text} /> : text}</LongText>
    </Field>
  );
}

/** Show a labelled part of a step. */
export function Field(props: { label: string; hint?: string | undefined; children: ComponentChildren }): JSX.Element {
  return (
    <section class="field">
      <h2 class="field-label">
        {props.label}
        {props.hint && <span class="field-hint field-hint-new">{props.hint}</span>}
      </h2>
      {props.children}
    </section>
  );
}

function WordChanges({ before, after }: { before: string; after: string }): JSX.Element {
  const parts = useMemo(() => diffWords(before, after), [before, after]);
  return (
    <>
      {parts.map((part, index) =>
        part.kind === "same" ? (
          <span key={index}>{part.text}</span>
        ) : part.kind === "new" ? (
          <ins key={index}>{part.text}</ins>
        ) : (
          <del key={index}>{part.text}</del>
        ),
      )}
    </>
  );
}

/** Show a text of any length: beyond some lines a button shows the rest. */
export function LongText({ children, class: more = "" }: { children: ComponentChildren; class?: string }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [isLong, setLong] = useState(false);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    const at = box.current;
    if (!at || isOpen) return;
    setLong(at.scrollHeight > at.clientHeight + 4);
  });
  return (
    <>
      <div ref={box} class={`long-text said ${isOpen ? "" : "long-text-cut"} ${more}`} dir="auto">
        {children}
      </div>
      {(isLong || isOpen) && (
        <button type="button" class="long-text-more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}
