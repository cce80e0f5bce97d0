/** Batches that are submitted again and again: when they are due next, and how the last one went. */

import "./schedules.css";
import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/icons";
import { formatCount, formatCounted, formatTime } from "../../state/format";
import { change, get, part } from "../data/requests";
import { useResource } from "../data/resource";
import { refusalFor } from "../data/session";
import type { ListPage, ScheduleStatus } from "../data/types";
import { useAction } from "../shared/action";
import { AllowedButton, RoleNote } from "../shared/Allowed";
import { ConfirmButton } from "../shared/ConfirmButton";
import { CopyLine } from "../shared/CopyLine";
import { Ago, formatSpan } from "../shared/Elapsed";
import { now } from "../shared/now";
import { ProblemNote } from "../shared/ProblemNote";
import { places } from "../shell/routes";
import { WorkTabs } from "./WorkTabs";

export function SchedulesPage(): JSX.Element {
  const loaded = useResource<ListPage<ScheduleStatus>>(
    {
      load: (signal) => get("/schedules", { limit: 500 }, signal),
      isChangedBy: (event) => event.kind.startsWith("schedule."),
      pollMs: 30_000,
    },
    [],
  );
  const schedules = loaded.value.value?.items;
  const may = refusalFor("submit") === null;
  const actions = may ? (
    <a class="button button-primary" href={places.newSchedule()}>
      <Icon name="plus" /> Make a schedule
    </a>
  ) : (
    <RoleNote needs="submit" what="Making schedules" />
  );
  return (
    <>
      <WorkTabs tab="schedules" actions={actions} />
      {loaded.problem.value && <ProblemNote problem={loaded.problem.value} />}
      {schedules?.length === 0 && (
        <EmptyState
          icon="clock"
          title="No schedule yet"
          action={<CopyLine text='manyhands schedules add nightly tasks.yaml --when "0 2 * * *" --zone Europe/Berlin' />}
        >
          A schedule submits the same batch at set times. {may && <a href={places.newSchedule()}>Make one here</a>}
          {may && ", or from a terminal:"}
        </EmptyState>
      )}
      <ul class="schedules">
        {schedules?.map((schedule) => (
          <ScheduleCard key={schedule.id} schedule={schedule} reload={loaded.reload} />
        ))}
      </ul>
    </>
  );
}

function ScheduleCard({ schedule, reload }: { schedule: ScheduleStatus; reload: () => void }): JSX.Element {
  const action = useAction(async (verb: "pause" | "resume" | "remove") => {
    const path = `/schedules/${part(schedule.id)}`;
    if (verb === "remove") await change("DELETE", path);
    else await change("POST", `${path}:${verb}`);
    reload();
  });
  const common = { needs: "submit" as const, owner: schedule.owner, disabled: action.isRunning.value };
  const next = schedule.next_times ?? [];
  const first = next[0];
  return (
    <li class="schedule panel">
      <div class="schedule-head">
        <div class="schedule-name">
          <h2 class="said">{schedule.name}</h2>
          <p class="quiet">
            <code class="said">{schedule.when}</code>
            {!schedule.when.startsWith("every") && ` in ${schedule.zone}`} · {formatCounted(schedule.batch.tasks.length, "task")} ·
            by <span class="said">{schedule.owner}</span>
          </p>
        </div>
        <div class="schedule-actions">
          {schedule.paused ? (
            <AllowedButton {...common} icon="play" onClick={() => void action.run("resume")}>
              Resume
            </AllowedButton>
          ) : (
            <AllowedButton {...common} icon="pause" onClick={() => void action.run("pause")}>
              Pause
            </AllowedButton>
          )}
          <ConfirmButton
            {...common}
            name="Delete"
            icon="cross"
            question={`Delete the schedule ${schedule.name}? Batches that it has submitted stay.`}
            yes="Delete the schedule"
            onConfirm={() => void action.run("remove")}
          />
        </div>
      </div>
      <div class="schedule-times">
        {schedule.paused ? (
          <Badge tone="warn" icon="pause">
            paused
          </Badge>
        ) : (
          <span>
            Next {first !== undefined && <strong>in {formatSpan(first - now.value)}</strong>}
            <span class="quiet"> {next.slice(0, 3).map(formatTime).join(" · ")}</span>
          </span>
        )}
        {schedule.last_batch && (
          <span class="quiet">
            Last{" "}
            <a href={places.batch(schedule.last_batch)}>
              {schedule.last_batch}
            </a>{" "}
            {schedule.last_due != null && <Ago at={schedule.last_due} />}
          </span>
        )}
        <span class="quiet">
          {formatCount(schedule.submitted ?? 0)} submitted, {formatCount(schedule.skipped ?? 0)} skipped
        </span>
      </div>
      {schedule.problem && (
        <p class="batch-warning">
          <Icon name="warning" size={14} /> <span class="said">{schedule.problem}</span>
        </p>
      )}
      {action.problem.value && <ProblemNote problem={action.problem.value} />}
    </li>
  );
}
