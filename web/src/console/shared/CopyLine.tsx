/** Shows a command with a button that copies it. */

import "./copy_line.css";
import type { JSX } from "preact";
import { CopyButton } from "../../components/CopyButton";

export function CopyLine({ text }: { text: string }): JSX.Element {
  return (
    <div class="copy-line">
      <code class="said">{text}</code>
      <CopyButton text={() => text} label="Copy the command" />
    </div>
  );
}
