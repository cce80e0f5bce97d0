/** What the run cost: model calls and tokens by role and server, and how long the stages of a step took. */
import "./cost.css";
import type { JSX } from "preact";
import { Table, type Column } from "../../components/Table";
import { EmptyState } from "../../components/EmptyState";
import { formatCount, formatLarge, formatSeconds, formatShare } from "../../state/format";
import type { Percentiles, RoleUsage, RunSummary } from "../../api/schema";
import { stageFill } from "../words";

type Used = readonly [name: string, usage: RoleUsage];
type Timed = readonly [name: string, work: Percentiles, queue: Percentiles | null | undefined];

/** Show the cost of a run. */
export function CostPanel({ summary }: { summary: RunSummary }): JSX.Element {
  const roles = Object.entries(summary.model);
  const servers = Object.entries(summary.servers ?? {});
  const stages = Object.entries(summary.stage_ms).flatMap(([name, work]): Timed[] =>
    work ? [[name, work, summary.queue_ms[name]]] : [],
  );
  if (!roles.length && !stages.length) {
    return (
      <EmptyState icon="coins" title="No model was asked">
        The figures appear here once an episode of the run has called a model.
      </EmptyState>
    );
  }
  return (
    <div class="cost">
      <Usage title="By role" first="Role" rows={roles} order="roles" asked={(role) => summary.models?.[role]?.model} />
      {servers.length > 0 && <Usage title="By server" first="Server" rows={servers} order="servers" />}
      <Stages rows={stages} />
    </div>
  );
}

function Usage(props: {
  title: string;
  first: string;
  rows: readonly Used[];
  order: string;
  asked?: (name: string) => string | undefined;
}): JSX.Element {
  const most = Math.max(1, ...props.rows.map(([, one]) => one.input_tokens + one.output_tokens));
  const columns: Column<Used>[] = [
    {
      id: "name",
      title: props.first,
      sort: ([name]) => name,
      cell: ([name]) => (
        <>
          <div class="clip cost-name">{name}</div>
          {props.asked?.(name) && <div class="clip faint cost-model">{props.asked(name)}</div>}
        </>
      ),
    },
    { id: "calls", title: "Calls", num: true, width: "5.375rem", sort: ([, one]) => one.calls, cell: ([, one]) => formatCount(one.calls) },
    {
      id: "input",
      title: "Tokens in",
      num: true,
      width: "6.5rem",
      sort: ([, one]) => one.input_tokens,
      cell: ([, one]) => formatLarge(one.input_tokens),
    },
    {
      id: "output",
      title: "Tokens out",
      num: true,
      width: "6.75rem",
      from: "s",
      sort: ([, one]) => one.output_tokens,
      cell: ([, one]) => formatLarge(one.output_tokens),
    },
    {
      id: "share",
      title: "Share",
      width: "18%",
      from: "l",
      cell: ([, one]) => (
        <span class="cost-bar" aria-hidden="true">
          <span style={{ width: `${(one.input_tokens / most) * 100}%`, background: "var(--stage-plan)" }} />
          <span style={{ width: `${(one.output_tokens / most) * 100}%`, background: "var(--stage-act)" }} />
        </span>
      ),
    },
    { id: "cached", title: "Cached", num: true, width: "5.625rem", from: "m", sort: ([, one]) => one.cached_share, cell: ([, one]) => formatShare(one.cached_share) },
    { id: "p50", title: "p50", num: true, width: "5.375rem", from: "s", sort: ([, one]) => one.latency_ms?.p50, cell: ([, one]) => milliseconds(one.latency_ms?.p50) },
    { id: "p95", title: "p95", num: true, width: "5.375rem", from: "m", sort: ([, one]) => one.latency_ms?.p95, cell: ([, one]) => milliseconds(one.latency_ms?.p95) },
    { id: "again", title: "Repairs", num: true, width: "5.625rem", from: "m", sort: ([, one]) => one.repairs, cell: ([, one]) => formatCount(one.repairs) },
    { id: "errors", title: "Errors", num: true, width: "5.375rem", from: "m", sort: ([, one]) => one.errors, cell: ([, one]) => <span class={one.errors ? "cost-bad" : ""}>{formatCount(one.errors)}</span> },
  ];
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{props.title}</h2>
        <span class="faint from-s">tokens as sums; p50 and p95 of the time that a call took</span>
      </header>
      <Table caption={`Model calls, ${props.title.toLowerCase()}`} rows={props.rows} columns={columns} keyOf={([name]) => name} height={props.asked ? 48 : 40} order={props.order} />
    </section>
  );
}

function Stages({ rows }: { rows: readonly Timed[] }): JSX.Element | null {
  if (!rows.length) return null;
  const longest = Math.max(...rows.map(([, work]) => work.p95), 1);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>Stages of a step</h2>
        <span class="faint">work, p50 and p95; time in queues apart</span>
      </header>
      <ul class="cost-stages">
        {rows.map(([name, work, queue]) => (
          <li key={name}>
            <span class="clip">{name}</span>
            <span class="cost-stage" aria-hidden="true">
              <span style={{ width: `${(work.p95 / longest) * 100}%`, background: `var(${stageFill(name)})`, opacity: "0.35" }} />
              <span style={{ width: `${(work.p50 / longest) * 100}%`, background: `var(${stageFill(name)})` }} />
            </span>
            <span class="num">
              <span class="unseen">p50 </span>
              {milliseconds(work.p50)}
            </span>
            <span class="num quiet">
              <span class="unseen">p95 </span>
              {milliseconds(work.p95)}
            </span>
            <span class="num faint">{queue ? `queue ${milliseconds(queue.p50)}` : ""}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function milliseconds(value: number | null | undefined): string {
  return formatSeconds(value == null ? value : value / 1000);
}
