/** The tasks of two runs: those that changed first. */
import "../run/runpage.css";
import "../run/filters.css";
import "./difference.css";
import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/icons";
import { SearchField } from "../../components/SearchField";
import { Table, type Column } from "../../components/Table";
import { choice, choiceList, choose, chooseList, linkTo } from "../../state/address";
import { formatCount, formatCounted, formatSeconds, formatTime, NONE } from "../../state/format";
import type { DifferenceReport, TaskPair, TaskSide } from "../../api/schema";
import { VERDICTS } from "../words";
import { CHANGE_ORDER, looksOf } from "./changes";

/** Show the list of both runs' tasks. */
export function DifferencePage({ report }: { report: DifferenceReport }): JSX.Element {
  const wanted = new Set(choiceList("change"));
  const words = choice("q").toLowerCase().split(/\s+/).filter(Boolean);
  const shown = report.tasks.filter((pair) => {
    const text = [pair.task, pair.goal, pair.why, pair.before?.reason, pair.after?.reason].join("\n").toLowerCase();
    return (!wanted.size || wanted.has(pair.change)) && words.every((word) => text.includes(word));
  });
  const changed = report.tasks.filter((pair) => pair.change !== "same").length;
  return (
    <main class="run">
      <header class="run-head">
        <h1 class="difference-title">
          <span class="said">{report.before}</span>
          <Icon name="right" label="and then" />
          <span class="said">{report.after}</span>
        </h1>
        <p class="run-about">
          <span>{formatCounted(report.tasks.length, "task")}</span>
          <span>{changed ? `${formatCount(changed)} changed` : "none changed"}</span>
          <span>compared {formatTime(report.made_at)}</span>
        </p>
      </header>
      <div class="filters">
        <ChangeSwitch report={report} />
        <SearchField name="q" label="Search tasks" placeholder="Goal, reason, id" />
      </div>
      <section class="panel run-tasks" aria-label="Tasks">
        {shown.length ? (
          <Table caption="Tasks of both runs" rows={shown} columns={COLUMNS} keyOf={(pair) => pair.task} height={68} />
        ) : (
          <EmptyState
            icon="filter"
            title={report.tasks.length ? "No task fits these filters" : "Neither run has a task"}
            action={report.tasks.length ? <Button onClick={() => choose({ change: "", q: "" })}>Clear the filters</Button> : undefined}
          />
        )}
      </section>
    </main>
  );
}

const COLUMNS: readonly Column<TaskPair>[] = [
  {
    id: "task",
    title: "Task",
    sort: (pair) => pair.task,
    cell: (pair) => (
      <div class="task-words">
        <div class="clip task-goal">
          <a class="row-link" href={linkTo(["tasks", pair.task], { step: firstStep(pair) })}>
            {pair.goal || pair.task}
          </a>
        </div>
        {pair.why && <div class="clip task-story">{pair.why}</div>}
        <div class="clip task-about mono">{pair.task}</div>
      </div>
    ),
  },
  {
    id: "change",
    title: "Change",
    width: "9.5rem",
    sort: (pair) => CHANGE_ORDER.indexOf(pair.change),
    cell: (pair) => <Badge tone={looksOf(pair.change).tone}>{looksOf(pair.change).title}</Badge>,
  },
  { id: "before", title: "Before", width: "13.125rem", from: "m", cell: (pair) => <SideCell side={pair.before} /> },
  { id: "after", title: "After", width: "13.125rem", from: "m", cell: (pair) => <SideCell side={pair.after} /> },
  {
    id: "parts",
    title: "Differs from",
    width: "6.875rem",
    from: "l",
    num: true,
    sort: (pair) => firstStep(pair),
    cell: (pair) => (firstStep(pair) === null ? <span class="faint">{NONE}</span> : `step ${firstStep(pair)}`),
  },
];

/** Return the first step at which the actions or the pages differ. */
export function firstStep(pair: TaskPair): number | null {
  const steps = [pair.other_action, pair.other_screen].filter((one) => one != null);
  return steps.length ? Math.min(...steps) : null;
}

function SideCell({ side }: { side: TaskSide | null }): JSX.Element {
  if (!side) return <span class="faint">not in this run</span>;
  return (
    <>
      <Badge tone={VERDICTS[side.verdict].tone} icon={VERDICTS[side.verdict].icon}>
        {side.shown.replaceAll("_", " ")}
      </Badge>
      <div class="task-about difference-figures">
        {formatCounted(side.steps, "step")}, {formatSeconds(side.seconds)}
      </div>
    </>
  );
}

function ChangeSwitch({ report }: { report: DifferenceReport }): JSX.Element {
  const chosen = choiceList("change");
  const counts = new Map<string, number>();
  for (const pair of report.tasks) counts.set(pair.change, (counts.get(pair.change) ?? 0) + 1);
  return (
    <div class="verdicts" role="group" aria-label="Change">
      <button type="button" class="verdict" aria-pressed={!chosen.length} onClick={() => chooseList("change", [])}>
        All <span class="num">{formatCount(report.tasks.length)}</span>
      </button>
      {CHANGE_ORDER.filter((one) => counts.has(one)).map((one) => (
        <button
          key={one}
          type="button"
          class="verdict"
          aria-pressed={chosen.includes(one)}
          onClick={() => chooseList("change", chosen.includes(one) ? [] : [one])}
        >
          {looksOf(one).title} <span class="num">{formatCount(counts.get(one) ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}
