/** A button that copies a text, and says whether it did. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/Button";

/** Show the button. `text` is asked for when the button is pressed. */
export function CopyAs({ label, text }: { label: string; text: () => string }): JSX.Element {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(""), 2500);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = async (): Promise<void> => {
    setSaid((await copyText(text())) ? "Copied" : "The browser refused");
  };
  return (
    <>
      <Button icon={said === "Copied" ? "check" : "copy"} onClick={() => void copy()}>
        {said || label}
      </Button>
      <span class="unseen" role="status">{said}</span>
    </>
  );
}

/** Copy a text. Pages from the disk may lack the clipboard's interface: a selection is copied then. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "unseen";
    document.body.append(field);
    field.select();
    const isDone = document.execCommand("copy");
    field.remove();
    return isDone;
  }
}
