/** The keys of a film, in a dialog. */
import "./keyDialog.css";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../components/Button";
import { FILM_KEYS } from "./filmKeys";

/** Show the keys while `isOpen`. */
export function KeyDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOpen && !dialog.current?.open) dialog.current?.showModal();
    if (!isOpen) dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="keys"
      aria-label="Keys"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="keys-head">
        <h2>Keys</h2>
        <Button icon="cross" kind="quiet" label="Close" onClick={onClose} />
      </div>
      <dl class="keys-list">
        {FILM_KEYS.map((one) => (
          <div key={one.what} class="keys-line">
            <dt>
              {one.shown.map((key) => (key === "–" ? " to " : <kbd key={key}>{key}</kbd>))}
            </dt>
            <dd>{one.what}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
