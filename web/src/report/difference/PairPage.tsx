/** One task in two runs, step by step: both screens, what was done on them, and where the runs part. */
import "./pair.css";
import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { useKeys } from "../../components/keys";
import { choice, choose } from "../../state/address";
import { formatCounted } from "../../state/format";
import type { DifferenceReport, EpisodeReport, TaskPair } from "../../api/schema";
import { usePart, type Loading } from "../usePart";
import { looksOf } from "./changes";
import { placeOfSide } from "./DifferenceApp";
import { firstStep } from "./DifferencePage";
import { PairSide } from "./PairSide";
import { StepLadder } from "./StepLadder";

const NOTHING = "diff"; // loads nothing anew: the page has this part already

/** Show a task in both runs. The step is in the address. */
export function PairPage({ report, pair }: { report: DifferenceReport; pair: TaskPair }): JSX.Element {
  const left = usePart<EpisodeReport>(pair.before?.episode ? `left/episodes/${pair.before.episode}` : NOTHING);
  const right = usePart<EpisodeReport>(pair.after?.episode ? `right/episodes/${pair.after.episode}` : NOTHING);
  const before = pair.before?.episode ? partOf(left) : null;
  const after = pair.after?.episode ? partOf(right) : null;
  const isLoading = left.state === "loading" || right.state === "loading"; // until both are there, the last step is unknown
  const last = Math.max(0, ...[before, after].flatMap((one) => one?.steps.map((step) => step.step) ?? []));
  const parts = firstStep(pair);
  const step = Math.min(last, Math.max(0, Number(choice("step", String(parts ?? 0))) || 0));
  const show = (to: number): void => choose({ step: Math.min(last, Math.max(0, to)) });
  const keys = [
    { key: "ArrowRight", does: "next step", run: () => show(step + 1) },
    { key: "ArrowLeft", does: "step before", run: () => show(step - 1) },
    { key: "Home", does: "first step", run: () => show(0) },
    { key: "End", does: "last step", run: () => show(last) },
    { key: "f", does: "to the step where the runs part", run: () => parts !== null && show(parts) },
  ];
  useKeys("Two runs", isLoading ? [] : keys);
  return (
    <main class="run">
      <header class="run-head">
        <h1 class="said pair-goal">{pair.goal || pair.task}</h1>
        <p class="run-about">
          <Badge tone={looksOf(pair.change).tone}>{looksOf(pair.change).title}</Badge>
          {pair.why && <span class="said">{pair.why}</span>}
        </p>
      </header>
      <section class="panel pair-steps" aria-label="Steps of both runs">
        {!isLoading && <StepLadder before={before} after={after} step={step} last={last} parts={parts} onChange={show} />}
        <div class="pair-tools">
          <Button icon="left" label="Step before" kind="quiet" disabled={isLoading || step <= 0} onClick={() => show(step - 1)} />
          <span class="num">
            {isLoading ? "The steps are being loaded." : `Step ${step} of 0 to ${last}`}
          </span>
          <Button icon="right" label="Next step" kind="quiet" disabled={isLoading || step >= last} onClick={() => show(step + 1)} />
          {parts !== null && (
            <Button icon="layers" disabled={isLoading || parts === step} onClick={() => show(parts)}>
              To where they part
            </Button>
          )}
          {parts === null && before && after && <span class="faint">Both took the same way, {formatCounted(last + 1, "step")}.</span>}
        </div>
      </section>
      <div class="pair">
        <PairSide title="Before" run={report.before} side={pair.before} place={placeOfSide(report, "left")} episode={left} step={step} />
        <PairSide title="After" run={report.after} side={pair.after} place={placeOfSide(report, "right")} episode={right} step={step} />
      </div>
      {!before && !after && left.state !== "loading" && right.state !== "loading" && (
        <EmptyState icon="image" title="Neither run has steps of this task">
          The task did not begin on a phone, or its journal is not in the report.
        </EmptyState>
      )}
    </main>
  );
}

function partOf(loading: Loading<EpisodeReport>): EpisodeReport | null {
  return loading.state === "ready" ? loading.part : null;
}
