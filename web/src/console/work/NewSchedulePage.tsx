/** Makes a schedule: what to submit, when, in which zone, and what becomes of times that are missed. */

import "./submit.css";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { go } from "../../state/address";
import { formatTime } from "../../state/format";
import { get } from "../data/requests";
import { refusalFor } from "../data/session";
import type { ScheduleTimes } from "../data/types";
import { useAction } from "../shared/action";
import { RoleNote } from "../shared/Allowed";
import { PageHead } from "../shared/PageHead";
import { ProblemNote } from "../shared/ProblemNote";
import { places } from "../shell/routes";
import { BatchFieldset } from "./BatchFieldset";
import { isEmpty, makeSchedule, NO_FIELDS } from "./submission";
import { FilePlace, TaskTextField, useTaskText } from "./TaskText";

const PAUSE_MS = 400;
const TIMES: readonly (readonly [string, string])[] = [
  ["every night at 2:00", "0 2 * * *"],
  ["on weekdays at 7:30", "30 7 * * MON-FRI"],
  ["every quarter of an hour", "every 15m"],
  ["every 6 hours", "every 6h"],
];

export function NewSchedulePage(): JSX.Element {
  const fields = useSignal(NO_FIELDS);
  const text = useTaskText(fields);
  const when = useSignal("0 2 * * *");
  const zone = useSignal(Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
  const overlap = useSignal("skip");
  const missed = useSignal("once");
  const making = useAction(async () => {
    const schedule = { when: when.value, zone: zone.value, overlap: overlap.value, missed: missed.value };
    await makeSchedule(text.submission, schedule);
    go(["work", "schedules"]);
  });
  const times = useTimes(when.value, zone.value);
  const hasName = fields.value.name.trim() !== "";
  const isReady = text.isReady && hasName && !times?.problem && refusalFor("submit") === null;
  return (
    <FilePlace text={text}>
      <PageHead
        crumbs={[
          { name: "Work", href: places.work() },
          { name: "Schedules", href: places.schedules() },
        ]}
        title="Make a schedule"
      />
      <RoleNote needs="submit" what="Making schedules" />
      <form
        class="submit-form"
        onInput={making.forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void making.run();
        }}
      >
        <div class="submit-text">
          <div class="field-pair">
            <label class="labelled">
              <span class="labelled-name">When</span>
              <input
                class="input mono"
                value={when.value}
                required
                aria-invalid={!!times?.problem}
                aria-describedby="schedule-times"
                onInput={(event) => (when.value = event.currentTarget.value)}
              />
              <span class="labelled-help">
                An interval, such as <code>every 15m</code>, or a cron line: minute hour day month weekday.
              </span>
            </label>
            <label class="labelled">
              <span class="labelled-name">Time zone</span>
              <input class="input" value={zone.value} required onInput={(event) => (zone.value = event.currentTarget.value)} />
              <span class="labelled-help">By its IANA name. Intervals need none.</span>
            </label>
          </div>
          <div class="chips" role="group" aria-label="Times that many use">
            {TIMES.map(([words, line]) => (
              <button key={line} type="button" class="chip" aria-pressed={when.value === line} onClick={() => (when.value = line)}>
                {words}
              </button>
            ))}
          </div>
          <p id="schedule-times" class={times?.problem ? "submit-bad said" : "quiet"} role="status">
            {times?.problem ?? (times && `Next: ${(times.next_times ?? []).slice(0, 3).map(formatTime).join(" · ")}`)}
          </p>
          <TaskTextField text={text} />
        </div>
        <div class="submit-side">
          <BatchFieldset fields={fields.value} hasDeadline={false} onChange={(changed) => (fields.value = changed)} />
          <label class="labelled">
            <span class="labelled-name">If the last batch has not ended</span>
            <select class="input" value={overlap.value} onChange={(event) => (overlap.value = event.currentTarget.value)}>
              <option value="skip">submit nothing</option>
              <option value="queue">submit as soon as it has</option>
              <option value="cancel_old">cancel it</option>
            </select>
          </label>
          <label class="labelled">
            <span class="labelled-name">Times that were missed</span>
            <select class="input" value={missed.value} onChange={(event) => (missed.value = event.currentTarget.value)}>
              <option value="once">submit one batch for all</option>
              <option value="skip">submit nothing</option>
            </select>
          </label>
          {making.problem.value && <ProblemNote problem={making.problem.value} />}
          <Button type="submit" kind="primary" icon="plus" disabled={!isReady || making.isRunning.value}>
            Make the schedule
          </Button>
          {refusalFor("submit") === null && (!hasName || isEmpty(text.submission)) && (
            <p class="labelled-help">It needs a name and a goal.</p>
          )}
        </div>
      </form>
    </FilePlace>
  );
}

/** Asks the service, a moment after the last change, when the schedule would submit; null before its answer. */
function useTimes(when: string, zone: string): ScheduleTimes | null {
  const times = useSignal<ScheduleTimes | null>(null);
  useEffect(() => {
    const cut = new AbortController();
    const timer = setTimeout(() => {
      get<ScheduleTimes>("/schedules:times", { when: when || " ", zone: zone || " " }, cut.signal).then(
        (answer) => (times.value = answer),
        () => undefined, // The request that makes the schedule says it, too.
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      cut.abort();
    };
  }, [when, zone]);
  return times.value;
}
