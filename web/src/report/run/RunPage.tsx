/** The first page of a report: figures, causes of failures, tasks, the timeline, cost, lessons and settings. */
import "./runpage.css";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { useKeys } from "../../components/keys";
import { Tabs, type Tab } from "../../components/Tabs";
import { address, choice, choose } from "../../state/address";
import { formatCounted, formatSeconds, formatTime, zoneName } from "../../state/format";
import type { ReportedTask, RunReport } from "../../api/schema";
import { EventList } from "../timeline/EventList";
import { Timeline } from "../timeline/Timeline";
import { CauseList } from "./CauseList";
import { CostPanel } from "./CostPanel";
import { Figures } from "./Figures";
import { LessonsPanel } from "./LessonsPanel";
import { RunFacts } from "./RunFacts";
import { clearFilters, isFiltered, TaskFilters } from "./TaskFilters";
import { byImportance, filterTasks } from "./taskList";
import { TaskTable } from "./TaskTable";

const PANEL = "run-panel";

/** Show a run. */
export function RunPage({ report }: { report: RunReport }): JSX.Element {
  const ordered = useMemo(() => byImportance(report.tasks), [report.tasks]);
  const said = address.value;
  const shown = useMemo(() => filterTasks(ordered), [ordered, said]);
  const learned = report.lessons.reduce((sum, one) => sum + one.changes.length, 0);
  const tabs: Tab[] = [
    { id: "tasks", title: "Tasks", count: report.tasks.length },
    { id: "timeline", title: "Timeline" },
    { id: "cost", title: "Cost" },
    { id: "lessons", title: "Learned", count: learned },
    { id: "about", title: "About" },
  ];
  const tab = tabs.find((one) => one.id === choice("tab"))?.id ?? "tasks";
  useKeys("Run", [
    { key: "j", does: "next task", run: () => focusRow(1) },
    { key: "k", does: "task before", run: () => focusRow(-1) },
    ...tabs.map((one, at) => ({
      key: String(at + 1),
      does: `show ${one.title.toLowerCase()}`,
      run: () => choose({ tab: at ? one.id : "" }),
    })),
  ]);
  return (
    <main class="run">
      <header class="run-head">
        <h1 class="said">{report.run}</h1>
        <p class="run-about">
          {about(report).map((one) => (
            <span key={one}>{one}</span>
          ))}
          {standIns(report).map((one) => (
            <Badge key={one} tone="warn" title={one}>
              {one.split(/[,;]/)[0]}
            </Badge>
          ))}
        </p>
        <Figures report={report} />
      </header>
      <Tabs tabs={tabs} current={tab} onChange={(id) => choose({ tab: id === "tasks" ? "" : id })} label="Parts of the report" panel={PANEL} />
      <div class="run-panel" id={PANEL} role="tabpanel" aria-label={tabs.find((one) => one.id === tab)?.title ?? ""}>
        {tab === "tasks" && <Tasks report={report} ordered={ordered} shown={shown} />}
        {tab === "timeline" && (
          <>
            <TaskFilters tasks={ordered} />
            {report.phones.length ? <Timeline report={report} shown={shown} /> : <NoEpisodes />}
            <EventList report={report} />
          </>
        )}
        {tab === "cost" && <CostPanel summary={report.summary} />}
        {tab === "lessons" && <LessonsPanel report={report} />}
        {tab === "about" && <RunFacts report={report} />}
      </div>
    </main>
  );
}

function Tasks(props: { report: RunReport; ordered: readonly ReportedTask[]; shown: readonly ReportedTask[] }): JSX.Element {
  const { report, ordered, shown } = props;
  if (!ordered.length) {
    return (
      <EmptyState icon="list" title="The run has no tasks">
        A run gets tasks by --goal, by a file of tasks or by a suite. Make the report again once it has some.
      </EmptyState>
    );
  }
  return (
    <>
      <CauseList causes={report.causes} />
      <TaskFilters tasks={ordered} />
      <section class="panel run-tasks" aria-label="Tasks">
        {shown.length ? (
          <TaskTable tasks={shown} />
        ) : (
          <EmptyState icon="filter" title="No task fits these filters" action={<Button onClick={clearFilters}>Clear the filters</Button>}>
            The run has {formatCounted(ordered.length, "task")}.
          </EmptyState>
        )}
      </section>
      {isFiltered() && (
        <p class="unseen" role="status">
          {formatCounted(shown.length, "task")} shown
        </p>
      )}
    </>
  );
}

function NoEpisodes(): ComponentChildren {
  return (
    <EmptyState icon="clock" title="No phone has run a task yet">
      The timeline appears here once an episode has begun.
    </EmptyState>
  );
}

function about({ summary, started_at }: RunReport): string[] {
  return [
    started_at ? `${formatTime(started_at)} ${zoneName(started_at)}` : "",
    formatSeconds(summary.wall_s),
    formatCounted(summary.phones, "phone"),
    `profile ${summary.profile}`,
    `schedule ${summary.schedule}`,
  ].filter(Boolean);
}

/** What stood in for real phones, models and perception. */
function standIns({ summary }: RunReport): string[] {
  return [summary.model_source, summary.phones_source, summary.perception_source].filter((one) => one !== "");
}

function focusRow(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>(".table .row-link")];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const first = links.findIndex((one) => one.getBoundingClientRect().top > 0);
  const next = links[at < 0 ? Math.max(0, first) : at + by];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "nearest" });
}
