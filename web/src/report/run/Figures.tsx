/** The figures of a run in one line, below a bar of what became of its tasks. */
import "./figures.css";
import type { ComponentChildren, JSX } from "preact";
import { formatCount, formatLarge, formatSeconds, formatShare, NONE } from "../../state/format";
import type { RoleUsage, RunReport } from "../../api/schema";
import { VERDICT_ORDER, VERDICTS, type Verdict } from "../words";

/** Add up the model calls of all roles. */
export function totalUsage(roles: Readonly<Record<string, RoleUsage>>): { calls: number; input: number; output: number; cached: number } {
  const sum = { calls: 0, input: 0, output: 0, cached: 0 };
  for (const one of Object.values(roles)) {
    sum.calls += one.calls;
    sum.input += one.input_tokens;
    sum.output += one.output_tokens;
    sum.cached += one.cached_tokens;
  }
  return sum;
}

/** Show the figures. */
export function Figures({ report }: { report: RunReport }): JSX.Element {
  const { summary, tasks } = report;
  const counts = new Map<Verdict, number>();
  for (const task of tasks) counts.set(task.verdict, (counts.get(task.verdict) ?? 0) + 1);
  const done = counts.get("done") ?? 0;
  const checked = summary.verified + summary.judged_done;
  const tokens = totalUsage(summary.model);
  return (
    <section class="figures" aria-label="Figures of the run">
      <Bar counts={counts} total={tasks.length} />
      <dl class="figures-line">
        <Figure name="Done" more={tasks.length ? formatShare(done / tasks.length) : undefined}>
          {formatCount(done)} <small>of {formatCount(tasks.length)}</small>
        </Figure>
        <Figure name="Failed" more={summary.false_completes ? `${formatCount(summary.false_completes)} said done` : undefined}>
          {formatCount(counts.get("failed") ?? 0)}
        </Figure>
        <Figure name="Checks held" more={summary.judged_done ? `${formatCount(summary.judged_done)} by a judge` : undefined}>
          {formatCount(checked)}
        </Figure>
        <Figure name="Steps" more={summary.step_ms ? `${formatSeconds(summary.step_ms.p50 / 1000)} each, p50` : undefined}>
          {formatCount(summary.steps)}
        </Figure>
        <Figure name="Tasks an hour" more={`on ${formatCount(summary.phones)} ${summary.phones === 1 ? "phone" : "phones"}`}>
          {summary.episodes_per_hour ? formatCount(summary.episodes_per_hour) : NONE}
        </Figure>
        <Figure name="Time" more={summary.away_s ? `${formatSeconds(summary.away_s)} without a model` : undefined}>
          {formatSeconds(summary.wall_s)}
        </Figure>
        <Figure name="Model calls" more={tokens.input ? `${formatShare(tokens.cached / tokens.input)} cached` : undefined}>
          {formatCount(tokens.calls)}
        </Figure>
        <Figure name="Tokens in" more={`${formatLarge(tokens.output)} out`}>
          {formatLarge(tokens.input)}
        </Figure>
      </dl>
    </section>
  );
}

function Figure(props: { name: string; more?: string | undefined; children: ComponentChildren }): JSX.Element {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd>
        <b>{props.children}</b>
        {props.more && <span>{props.more}</span>}
      </dd>
    </div>
  );
}

function Bar({ counts, total }: { counts: ReadonlyMap<Verdict, number>; total: number }): JSX.Element {
  const shown = VERDICT_ORDER.filter((verdict) => counts.get(verdict)).reverse();
  const words = shown.map((verdict) => `${counts.get(verdict)} ${verdict}`).join(", ");
  return (
    <div class="figures-bar" role="img" aria-label={words || "no tasks"}>
      {shown.map((verdict) => (
        <span
          key={verdict}
          style={{ flexGrow: String((counts.get(verdict) ?? 0) / total), background: `var(${VERDICTS[verdict].fill})` }}
        />
      ))}
    </div>
  );
}
