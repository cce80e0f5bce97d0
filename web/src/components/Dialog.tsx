/** A dialog over the page. Escape, its cross and a click beside it close it. */
import "./dialog.css";
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { Button } from "./Button";

/** Show a dialog for as long as it is rendered. `foot`: the buttons at its end. */
export function Dialog(props: {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  foot?: ComponentChildren;
  wide?: boolean;
}): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog${props.wide ? " dialog-wide" : ""}`}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => event.target === dialog.current && props.onClose()}
    >
      <div class="dialog-inside">
        <header class="dialog-head">
          <h2 id={title}>{props.title}</h2>
          <Button icon="cross" label="Close" kind="quiet" onClick={props.onClose} />
        </header>
        <div class="dialog-body">{props.children}</div>
        {props.foot && <footer class="dialog-foot">{props.foot}</footer>}
      </div>
    </dialog>
  );
}
