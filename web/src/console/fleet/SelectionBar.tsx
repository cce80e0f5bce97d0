/** What an operator does with several phones at once: set them aside with a reason, or release them. */

import "./selection.css";
import { signal, useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { formatCounted } from "../../state/format";
import { problemOf } from "../data/problem";
import { change, part } from "../data/requests";
import type { PhoneStatus } from "../data/types";
import { applyChange } from "../data/wall_store";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { Note } from "../shared/ProblemNote";

/** The serials of the selected phones; null while a click on a tile opens its phone. */
export const selection = signal<ReadonlySet<string> | null>(null);

export function toggleSelected(serial: string): void {
  const next = new Set(selection.value);
  if (!next.delete(serial)) next.add(serial);
  selection.value = next;
}

/** Shows the actions. `chosen`: the serials of all phones that the page's filters choose. */
export function SelectionBar({ chosen }: { chosen: readonly string[] }): JSX.Element | null {
  const reason = useSignal("");
  const action = useAction(async (verb: "aside" | "release", words: string) => {
    const failures: string[] = [];
    const serials = [...(selection.value ?? [])];
    for (const serial of serials) {
      try {
        const body = verb === "aside" ? { reason: reason.value.trim() } : undefined;
        applyChange(await change<PhoneStatus>("POST", `/phones/${part(serial)}:${verb}`, body));
      } catch (error) {
        failures.push(`${serial}: ${problemOf(error).detail}`);
      }
    }
    const count = formatCounted(serials.length - failures.length, "phone");
    return [`${count} ${words}.`, ...failures].join("\n");
  });
  if (selection.value === null) return null;
  const count = selection.value.size;
  const common = { needs: "operate" as const, disabled: count === 0 || action.isRunning.value };
  return (
    <>
      <form
        class="selection panel"
        onSubmit={(event) => {
          event.preventDefault();
          if (reason.value.trim()) void action.run("aside", "set aside");
        }}
      >
        <strong>{formatCounted(count, "phone")} selected</strong>
        <Button kind="quiet" onClick={() => (selection.value = new Set(chosen))}>
          Select all {chosen.length}
        </Button>
        <input
          class="input"
          aria-label="Why they are set aside"
          placeholder="Why: the screens are cracked"
          maxLength={500}
          value={reason.value}
          onInput={(event) => (reason.value = event.currentTarget.value)}
        />
        <AllowedButton {...common} type="submit" icon="pause" disabled={common.disabled || !reason.value.trim()}>
          Set aside
        </AllowedButton>
        <AllowedButton {...common} icon="play" onClick={() => void action.run("release", "released")}>
          Release
        </AllowedButton>
      </form>
      {action.result.value && (
        <Note tone={action.result.value.includes("\n") ? "warn" : "good"}>
          <p class="said">{action.result.value}</p>
        </Note>
      )}
    </>
  );
}
