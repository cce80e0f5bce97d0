/** A button that copies a text, and says that it did. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./Button";

const SHOWN_MS = 1600;

/** Copy `text()` when pressed. `label`: what is copied, such as `Copy the address`. */
export function CopyButton(props: {
  text: () => string;
  label: string;
  kind?: "plain" | "quiet";
  children?: ComponentChildren;
}): JSX.Element {
  const [said, say] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => say(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => say((await copyText(props.text())) ? "copied" : "failed");
  return (
    <>
      <Button
        icon={said === "copied" ? "check" : said === "failed" ? "warning" : "copy"}
        label={props.label}
        kind={props.kind ?? "quiet"}
        onClick={() => void copy()}
      >
        {props.children && (said === "copied" ? "Copied" : said === "failed" ? "Not copied" : props.children)}
      </Button>
      <span class="unseen" role="status">
        {said}
      </span>
    </>
  );
}

/** Put a text on the clipboard. Pages on the disk may lack the clipboard's interface; a selection serves there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    return isCopied;
  }
}
