/** What an operator does with a phone: set it aside with a reason, reserve it for somebody, release it. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Button } from "../../components/Button";
import { go } from "../../state/address";
import { change, get, part, send } from "../data/requests";
import { ownName } from "../data/session";
import type { EpisodeControl, PhoneStatus, TaskStatus, WallPhone } from "../data/types";
import { applyChange } from "../data/wall_store";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { ProblemNote } from "../shared/ProblemNote";

const POLL_MS = 700;
const HOURS: readonly (readonly [string, number])[] = [
  ["half an hour", 0.5],
  ["2 hours", 2],
  ["8 hours", 8],
  ["a day", 24],
];

export function PhoneActions({ phone }: { phone: WallPhone }): JSX.Element {
  const asked = useSignal<"" | "aside" | "reserve" | "name">("");
  const action = useAction(async (verb: string, body?: unknown) => {
    applyChange(await change<PhoneStatus>("POST", `/phones/${part(phone.serial)}:${verb}`, body));
    asked.value = "";
  });
  const taking = useAction(async () => {
    const task = await change<TaskStatus>("POST", `/phones/${part(phone.serial)}:take-over`);
    const episode = await waitForTakeover(task.id, () => isGone.current);
    if (episode !== null) go(["episodes", episode]);
  });
  const isGone = useRef(false);
  useEffect(() => () => void (isGone.current = true), []);
  const isHeld = phone.phase === "aside" || phone.phase === "reserved" || phone.reserved_for != null;
  const common = { needs: "operate" as const, disabled: action.isRunning.value };
  return (
    <div class="handset-actions">
      <div class="handset-buttons">
        {(phone.phase === "free" || phone.phase === "reserved") && (
          <AllowedButton needs="submit" icon="hand" disabled={taking.isRunning.value} onClick={() => void taking.run()}>
            {taking.isRunning.value ? "Waiting for the phone…" : "Take over"}
          </AllowedButton>
        )}
        {isHeld && (
          <AllowedButton {...common} kind="primary" icon="play" onClick={() => void action.run("release")}>
            Release
          </AllowedButton>
        )}
        {phone.phase !== "aside" && (
          <AllowedButton {...common} icon="pause" aria-expanded={asked.value === "aside"} onClick={() => (asked.value = asked.value === "aside" ? "" : "aside")}>
            Set aside
          </AllowedButton>
        )}
        <AllowedButton {...common} icon="clock" aria-expanded={asked.value === "reserve"} onClick={() => (asked.value = asked.value === "reserve" ? "" : "reserve")}>
          Reserve
        </AllowedButton>
        <AllowedButton {...common} icon="keyboard" aria-expanded={asked.value === "name"} onClick={() => (asked.value = asked.value === "name" ? "" : "name")}>
          Name
        </AllowedButton>
      </div>
      {asked.value === "aside" && (
        <form
          class="handset-form panel"
          onSubmit={(event) => {
            event.preventDefault();
            void action.run("aside", { reason: fieldOf(event, "reason") });
          }}
        >
          <label class="labelled">
            <span class="labelled-name">Why</span>
            <input class="input" name="reason" required maxLength={500} autofocus placeholder="The screen is cracked" />
          </label>
          <p class="labelled-help">It gets no task until it is released. Its present task goes on to its end.</p>
          <Button type="submit" kind="primary" disabled={action.isRunning.value}>
            Set it aside
          </Button>
        </form>
      )}
      {asked.value === "reserve" && (
        <form
          class="handset-form panel"
          onSubmit={(event) => {
            event.preventDefault();
            const until = Date.now() / 1000 + Number(fieldOf(event, "hours")) * 3600;
            void action.run("reserve", { owner: fieldOf(event, "owner"), until });
          }}
        >
          <label class="labelled">
            <span class="labelled-name">For whose tasks</span>
            <input class="input" name="owner" required defaultValue={ownName()} autofocus />
          </label>
          <label class="labelled">
            <span class="labelled-name">For how long</span>
            <select class="input" name="hours">
              {HOURS.map(([words, hours]) => (
                <option key={hours} value={hours} selected={hours === 2}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <Button type="submit" kind="primary" disabled={action.isRunning.value}>
            Reserve it
          </Button>
        </form>
      )}
      {asked.value === "name" && (
        <form
          class="handset-form panel"
          onSubmit={(event) => {
            event.preventDefault();
            const { name: _, ...others } = phone.own_labels ?? {};
            const name = fieldOf(event, "name");
            void action.run("labels", { labels: name ? { ...others, name } : others });
          }}
        >
          <label class="labelled">
            <span class="labelled-name">Name of the phone</span>
            <input class="input" name="name" maxLength={100} defaultValue={phone.own_labels?.["name"] ?? ""} autofocus />
          </label>
          <p class="labelled-help">People see it in place of the serial. Selectors know it as the label <code>name</code>.</p>
          <Button type="submit" kind="primary" disabled={action.isRunning.value}>
            Name it
          </Button>
        </form>
      )}
      {taking.problem.value && <ProblemNote problem={taking.problem.value} />}
      {action.problem.value && <ProblemNote problem={action.problem.value} />}
    </div>
  );
}

/**
 * Returns the episode by which a person has a phone, once the person may act. If the person leaves the page, or closes
 * it, cancels the task and returns null. Raises RequestFailed if it ends before.
 */
async function waitForTakeover(id: string, isGone: () => boolean): Promise<string | null> {
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    void cancelTask(id).catch(() => undefined);
  };
  addEventListener("pagehide", close);
  try {
    return await pollTakeover(id, () => isClosed, isGone);
  } finally {
    removeEventListener("pagehide", close);
  }
}

async function cancelTask(id: string): Promise<void> {
  await send(`/tasks/${part(id)}:cancel`, { method: "POST", isLast: true });
}

async function pollTakeover(id: string, isClosed: () => boolean, isGone: () => boolean): Promise<string | null> {
  for (;;) {
    if (isClosed()) return null;
    if (isGone()) {
      await cancelTask(id);
      return null;
    }
    const task = await get<TaskStatus>(`/tasks/${part(id)}`);
    if (task.episode != null) {
      const control = await get<EpisodeControl>(`/episodes/${part(task.episode)}/control`).catch(() => null);
      if (control?.phase === "taken_over") return task.episode;
    }
    if (task.phase === "ended") throw new Error(task.reason ?? "The phone was not taken over.");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function fieldOf(event: SubmitEvent, name: string): string {
  return String(new FormData(event.currentTarget as HTMLFormElement).get(name) ?? "").trim();
}
