/**
 * A field for text with numbered lines; lines with mistakes are marked, and a mistake leads to its line. Long lines are
 * wrapped where `wraps` says so: behind the field, each line is laid out once more, so that its number stands at its beginning.
 */

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
  wraps?: boolean;
  onInput: (text: string) => void;
}): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = props.value.split("\n");
  const count = Math.max(lines.length, 12);
  const wrong = new Map<number, string[]>();
  for (const { line, text } of props.mistakes) if (line !== null) wrong.set(line, [...(wrong.get(line) ?? []), text]);
  useEffect(() => {
    if (!gutter.current || !field.current) return;
    if (props.wraps) gutter.current.style.setProperty("--text-width", `${field.current.clientWidth}px`);
    gutter.current.scrollTop = field.current.scrollTop;
  });
  const goTo = (line: number): void => {
    const element = field.current;
    if (element === null) return;
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    element.focus();
    element.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
    const row = gutter.current?.children[Math.max(0, line - 4)] as HTMLElement | undefined;
    element.scrollTop = row?.offsetTop ?? 0;
  };
  return (
    <div class="editor">
      <div class={`editor-frame${props.wraps ? " editor-wraps" : ""}`}>
        <div ref={gutter} class="editor-gutter" aria-hidden="true">
          {Array.from({ length: count }, (_, number) => (
            <div key={number} class="editor-line">
              <span class={`editor-number${wrong.has(number + 1) ? " editor-wrong" : ""}`} title={wrong.get(number + 1)?.join("\n")}>
                {number + 1}
              </span>
              {props.wraps && <span class="editor-copy mono">{lines[number] || "\u200b"}</span>}
            </div>
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
          wrap={props.wraps ? "soft" : "off"}
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
