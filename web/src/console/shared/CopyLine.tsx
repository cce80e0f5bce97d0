/** Shows a command with a button that copies it. */

import "./copy_line.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";

export function CopyLine({ text }: { text: string }): JSX.Element {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    isCopied.value = true;
    setTimeout(() => (isCopied.value = false), 2000);
  };
  return (
    <div class="copy-line">
      <code class="said">{text}</code>
      <Button kind="quiet" icon={isCopied.value ? "check" : "copy"} label="Copy the command" onClick={() => void copy()} />
      <span class="unseen" role="status">
        {isCopied.value ? "Copied." : ""}
      </span>
    </div>
  );
}
