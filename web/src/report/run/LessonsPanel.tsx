/** What the run learned: tips and shortcuts that its episodes added, changed and removed. */
import "./lessons.css";
import type { JSX } from "preact";
import { Badge, type Tone } from "../../components/Badge";
import { EmptyState } from "../../components/EmptyState";
import { Plot } from "../../components/Plot";
import { linkTo } from "../../state/address";
import { formatCount, formatCounted } from "../../state/format";
import type { KnownLesson, LearningPlot, RunReport } from "../../api/schema";

const TONES: Record<KnownLesson["way"], Tone> = { given: "quiet", added: "good", changed: "accent", removed: "bad" };

const COLOURS = ["--accent", "--good", "--warn", "--bad", "--stage-plan", "--stage-note"];

/** Show lessons by episode, in the order of the run. */
export function LessonsPanel({ report }: { report: RunReport }): JSX.Element {
  const { lessons, summary } = report;
  const figures = summary.learning;
  if (!lessons.length) {
    return (
      <EmptyState icon="book" title="Nothing was learned">
        {figures
          ? `The learners were asked ${formatCounted(figures.lessons + figures.failed, "time")}, and added no tip and no shortcut.`
          : "Tips and shortcuts appear here if the run's profile learns: see --profile."}
      </EmptyState>
    );
  }
  return (
    <div class="lessons">
      {figures && (
        <p class="quiet">
          {formatCounted(figures.lessons, "lesson")}; tips: {taught(figures.tips)}; shortcuts: {taught(figures.shortcuts)}.
        </p>
      )}
      {report.plots.length > 0 && (
        <div class="lesson-plots">
          {report.plots.map((plot) => (
            <LearningFigure plot={plot} key={plot.title} />
          ))}
        </div>
      )}
      {lessons.map((one) => (
        <section class="panel" key={one.episode}>
          <header class="panel-head">
            <h2 class="clip">
              <a href={linkTo(["episodes", one.episode])}>{one.task}</a>
            </h2>
            <span class="faint mono clip">{one.episode}</span>
          </header>
          <ul>
            {one.changes.map((change) => (
              <li class="lesson" key={`${change.way} ${change.id}`}>
                <Badge tone={TONES[change.way]}>
                  {change.way} {change.kind}
                </Badge>
                <span class="said">
                  {change.before && <del class="lesson-before">{change.before}</del>}
                  {change.text}
                </span>
                <span class="faint mono clip">{change.id}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Plot one figure over the places of tasks in their scenarios. */
function LearningFigure({ plot }: { plot: LearningPlot }): JSX.Element {
  return (
    <section class="panel lesson-plot">
      <h2>{plot.title}</h2>
      <Plot
        label={`${plot.title} by the place of tasks in their scenarios`}
        series={plot.lines.map((line, at) => ({
          name: line.name,
          colour: COLOURS[at % COLOURS.length] ?? "--accent",
          points: line.points as [number, number][],
        }))}
        formatValue={(value) => formatCount(Math.round(value * 10) / 10)}
        formatAt={(place) => `task ${place}`}
      />
    </section>
  );
}

function taught(counts: { added: number; changed: number; removed: number }): string {
  const { added, changed, removed } = counts;
  return `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(removed)} removed`;
}
