/** One of the two runs at a step: its screen with the action drawn on it, what was thought, done and judged. */
import type { ComponentChildren, JSX } from "preact";
import { Badge, VerdictPill } from "../../components/Badge";
import { linkTo } from "../../state/address";
import { formatCounted, formatSeconds } from "../../state/format";
import type { EpisodeReport, ReportedStep, TaskSide } from "../../api/schema";
import { ActionMarks } from "../../episode/ActionMarks";
import { ScreenShot } from "../../episode/ScreenShot";
import { sourceOf, type RunPlace } from "../EpisodePage";
import type { Loading } from "../usePart";
import { VERDICTS } from "../words";

/** Show a run's side. `title`: which of the two it is. */
export function PairSide(props: {
  title: string;
  run: string;
  side: TaskSide | null;
  place: RunPlace;
  episode: Loading<EpisodeReport>;
  step: number;
}): JSX.Element {
  const { title, run, side, place, episode, step } = props;
  return (
    <section class="panel pair-side" aria-label={title}>
      <header class="pair-head">
        <h2>
          {title} <span class="faint clip">{run}</span>
        </h2>
        {side && (
          <p>
            <Badge tone={VERDICTS[side.verdict].tone} icon={VERDICTS[side.verdict].icon}>
              {side.shown.replaceAll("_", " ")}
            </Badge>
            <span class="faint">
              {formatCounted(side.steps, "step")}, {formatSeconds(side.seconds)}
            </span>
            {side.episode && <a href={linkTo([place.parts.slice(0, -1), "episodes", side.episode], { step })}>Film</a>}
          </p>
        )}
      </header>
      <Content side={side} place={place} episode={episode} number={step} />
    </section>
  );
}

function Content(props: { side: TaskSide | null; place: RunPlace; episode: Loading<EpisodeReport>; number: number }): ComponentChildren {
  const { side, place, episode, number } = props;
  if (!side) return <p class="pair-none">This run does not have the task.</p>;
  if (!side.episode) return <p class="pair-none said">The task never began. {side.reason}</p>;
  if (episode.state === "loading") return <p class="pair-none">Loading</p>;
  if (episode.state === "failed") return <p class="pair-none said">{episode.error.message}</p>;
  const step = episode.part.steps.find((one) => one.step === number);
  if (!step) {
    return (
      <p class="pair-none said">
        The episode had ended before this step. {side.reason}
      </p>
    );
  }
  return <StepView report={episode.part} place={place} step={step} />;
}

function StepView({ report, place, step }: { report: EpisodeReport; place: RunPlace; step: ReportedStep }): JSX.Element {
  const size: readonly [number, number] = [step.width ?? 1080, step.height ?? 2400];
  return (
    <div class="pair-step">
      <div class="pair-screen">
        {step.screen ? (
          <ScreenShot
            source={sourceOf(report, place)}
            screen={step.screen}
            size={size}
            label={`Screen before step ${step.step}`}
            marks={<ActionMarks step={step} width={size[0]} />}
          />
        ) : (
          <p class="pair-none">No screen was taken.</p>
        )}
      </div>
      <dl class="pair-words">
        <Line name="Action">
          <b class="said">{step.action || step.problem || "none"}</b> <VerdictPill verdict={step.outcome} />
        </Line>
        <Text name="Typed" text={step.typed_text} />
        <Text name="Thought" text={step.thought} />
        <Text name="Subgoal" text={step.subgoal} />
        <Text name="Expected" text={step.expectation} />
        <Text name="Wrong" text={step.error} />
        <Text name="App" text={step.app ?? ""} />
      </dl>
    </div>
  );
}

function Text({ name, text }: { name: string; text: string | undefined }): JSX.Element | null {
  return text ? (
    <Line name={name}>
      <span class="said">{text}</span>
    </Line>
  ) : null;
}

function Line({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
