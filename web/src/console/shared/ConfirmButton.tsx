/** A button that asks once more before it does something that cannot be undone. */

import "./confirm.css";
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import type { IconName } from "../../components/icons";
import type { AccessRole } from "../data/types";
import { AllowedButton } from "./Allowed";

export function ConfirmButton(props: {
  name: string;
  icon?: IconName;
  /** Whether the button shows its icon alone. */
  isIcon?: boolean;
  question: string;
  yes: string;
  needs: AccessRole;
  owner?: string;
  disabled?: boolean;
  onConfirm: () => void;
}): JSX.Element {
  const isAsking = useSignal(false);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isAsking.value) dialog.current?.showModal();
  }, [isAsking.value]);
  const common = { needs: props.needs, disabled: props.disabled ?? false, onClick: () => (isAsking.value = true) };
  return (
    <>
      <AllowedButton
        {...common}
        {...(props.owner === undefined ? {} : { owner: props.owner })}
        {...(props.icon ? { icon: props.icon } : {})}
        {...(props.isIcon ? { label: props.name, kind: "quiet" as const } : {})}
      >
        {props.isIcon ? undefined : props.name}
      </AllowedButton>
      {isAsking.value && (
        <dialog ref={dialog} class="confirm" aria-label={props.name} onClose={() => (isAsking.value = false)}>
          <p class="said">{props.question}</p>
          <div class="confirm-answers">
            <Button autofocus onClick={() => dialog.current?.close()}>
              Go back
            </Button>
            <Button
              kind="danger"
              onClick={() => {
                dialog.current?.close();
                props.onConfirm();
              }}
            >
              {props.yes}
            </Button>
          </div>
        </dialog>
      )}
    </>
  );
}
