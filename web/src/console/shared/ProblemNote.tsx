/** Shows why a request failed, where it was asked for: what was wrong, and each mistake. */

import "./notes.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../components/icons";
import type { Problem } from "../data/problem";

export function ProblemNote({ problem, children }: { problem: Problem; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="note note-bad" role="alert">
      <Icon name="warning" />
      <div class="note-body">
        <p class="note-title said">{problem.title}</p>
        {problem.detail && problem.detail !== problem.title && <p class="said">{problem.detail}</p>}
        {problem.mistakes.length > 0 && (
          <ul class="note-list">
            {problem.mistakes.map((mistake) => (
              <li key={mistake} class="said">
                {mistake}
              </li>
            ))}
          </ul>
        )}
        {children}
      </div>
    </div>
  );
}

/** Shows the result of something that went well, or a remark. */
export function Note(props: { tone?: "good" | "warn" | "quiet"; children: ComponentChildren }): JSX.Element {
  const tone = props.tone ?? "good";
  return (
    <div class={`note note-${tone}`} role="status">
      <Icon name={tone === "good" ? "check" : tone === "warn" ? "warning" : "info"} />
      <div class="note-body">{props.children}</div>
    </div>
  );
}
