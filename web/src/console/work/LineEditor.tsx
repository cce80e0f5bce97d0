/** A field for text with numbered lines; lines with mistakes are marked, and a mistake leads to its line. */

import "./line_editor.css";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";

export interface LineMistake {
  readonly line: number | null;
  readonly text: string;
}

export function LineEditor(props: {
  value: string;
  label: string;
  placeholder: string;
  mistakes: readonly LineMistake[];
  onInput: (text: string) => void;
}): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const count = Math.max(props.value.split("\n").length, 12);
  const wrong = new Map<number, string[]>();
  for (const { line, text } of props.mistakes) if (line !== null) wrong.set(line, [...(wrong.get(line) ?? []), text]);
  useEffect(() => {
    if (gutter.current && field.current) gutter.current.scrollTop = field.current.scrollTop;
  });
  const goTo = (line: number): void => {
    const element = field.current;
    if (element === null) return;
    const lines = props.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    element.focus();
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    element.scrollTop = Math.max(0, (line - 4) * LINE);
  };
  return (
    <div class="editor">
      <div class="editor-frame">
        <div ref={gutter} class="editor-gutter" aria-hidden="true">
          {Array.from({ length: count }, (_, number) => (
            <span key={number} class={wrong.has(number + 1) ? "editor-wrong" : ""} title={wrong.get(number + 1)?.join("\n")}>
              {number + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={field}
          class="editor-text mono"
          aria-label={props.label}
          aria-invalid={props.mistakes.length > 0}
          aria-describedby="editor-mistakes"
          placeholder={props.placeholder}
          value={props.value}
          rows={Math.min(count, 24)}
          wrap="off"
          spellcheck={false}
          onInput={(event) => props.onInput(event.currentTarget.value)}
          onScroll={(event) => {
            if (gutter.current) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <ul id="editor-mistakes" class="editor-mistakes" aria-live="polite">
        {props.mistakes.map(({ line, text }) => (
          <li key={`${line} ${text}`} class="editor-mistake">
            <Icon name="warning" size={14} />
            {line !== null && (
              <button type="button" class="link-button" onClick={() => goTo(line)}>
                line {line}
              </button>
            )}
            <span class="said">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The height of a line in pixels, as the stylesheet has it. */
const LINE = 20;
