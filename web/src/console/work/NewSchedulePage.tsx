/** Makes a schedule: what to submit, when, in which zone, and what becomes of times that are missed. */

import "./submit.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { go } from "../../state/address";
import { change } from "../data/requests";
import { refusalFor } from "../data/session";
import type { ScheduleStatus } from "../data/types";
import { useAction } from "../shared/action";
import { RoleNote } from "../shared/Allowed";
import { PageHead } from "../shared/PageHead";
import { ProblemNote } from "../shared/ProblemNote";
import { places } from "../shell/routes";
import { BatchFieldset } from "./BatchFieldset";
import { LineEditor } from "./LineEditor";
import { goalsOf, NO_FIELDS, tasksOf } from "./submission";

const TIMES: readonly (readonly [string, string])[] = [
  ["every night at 2:00", "0 2 * * *"],
  ["on weekdays at 7:30", "30 7 * * MON-FRI"],
  ["every quarter of an hour", "every 15m"],
  ["every 6 hours", "every 6h"],
];

export function NewSchedulePage(): JSX.Element {
  const goals = useSignal("");
  const fields = useSignal(NO_FIELDS);
  const when = useSignal("0 2 * * *");
  const zone = useSignal(Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC");
  const overlap = useSignal("skip");
  const missed = useSignal("once");
  const making = useAction(async () => {
    const { name, priority, tags, phones } = fields.value;
    await change<ScheduleStatus>("POST", "/schedules", {
      name,
      when: when.value,
      zone: zone.value,
      overlap: overlap.value,
      missed: missed.value,
      batch: { tasks: tasksOf(goalsOf(goals.value)), name, priority, tags, phones },
    });
    go(["work", "schedules"]);
  });
  const isReady = goalsOf(goals.value).length > 0 && fields.value.name.trim() !== "" && refusalFor("submit") === null;
  return (
    <>
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
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void making.run();
        }}
      >
        <div class="submit-text">
          <div class="field-pair">
            <label class="labelled">
              <span class="labelled-name">When</span>
              <input class="input mono" value={when.value} required onInput={(event) => (when.value = event.currentTarget.value)} />
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
          <LineEditor
            value={goals.value}
            label="Goals, one a line"
            placeholder={"Turn on dark mode.\nSet an alarm for 6:30."}
            mistakes={[]}
            onInput={(text) => (goals.value = text)}
          />
          <p class="quiet">
            Schedules of YAML files are made by <code>manyhands schedules add NAME FILE --when LINE</code>.
          </p>
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
          {!isReady && refusalFor("submit") === null && <p class="labelled-help">It needs a name and a goal.</p>}
        </div>
      </form>
    </>
  );
}
