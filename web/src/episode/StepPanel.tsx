/** A step in words: what went wrong first, then what was done, why, what was expected, and what it led to. */
import "./stepPanel.css";
import type { JSX } from "preact";
import { Badge, VerdictPill } from "../components/Badge";
import { Icon } from "../components/icons";
import { formatLarge } from "../state/format";
import { actionWords, isOver } from "./actionWords";
import { ChangedText, Field, LongText } from "./ChangedText";
import { stepProblems } from "./failureStory";
import { type PersonNow, personWords } from "./filmSource";
import type { FilmState } from "./filmState";
import { scaleRemark } from "./modelScale";
import type { EpisodeReport } from "./types";

interface StepProps {
  readonly report: EpisodeReport;
  readonly film: FilmState;
  /** Who has the phone of a running episode instead of the agent, if anybody. */
  readonly person?: PersonNow | null | undefined;
}

/** Show the step. */
export function StepPanel({ report, film, person }: StepProps): JSX.Element {
  const { step, previous } = film;
  const problems = stepProblems(step);
  return (
    <div class="step-panel">
      {problems.length > 0 && (
        <ul class="problems" aria-label="Problems of this step">
          {problems.map((problem, index) => (
            <li key={index} class={`problem problem-${problem.tone}`}>
              <Icon name={problem.tone === "quiet" ? "info" : "warning"} />
              <div>
                <strong>{problem.title}.</strong>
                {problem.text && <LongText>{problem.text}</LongText>}
              </div>
            </li>
          ))}
        </ul>
      )}
      <ActionCard report={report} film={film} person={person} />
      {step.thought && (
        <Field label="Thought">
          <LongText>{step.thought}</LongText>
        </Field>
      )}
      <StateText label="Subgoal" report={report} index={film.index} part="subgoal" />
      <StateText label="Plan" report={report} index={film.index} part="plan" />
      <StateText label="Progress" report={report} index={film.index} part="progress" />
      <StateText label="Notes" report={report} index={film.index} part="notes" />
      {step.findings.some((one) => !one.is_problem) && (
        <Field label="What stages found">
          {step.findings.map((one, index) => !one.is_problem && <LongText key={index}>{`${one.stage}: ${one.text}`}</LongText>)}
        </Field>
      )}
      {step.rubrics_held.length > 0 && (
        <Field label="Milestones that held after the step">
          <ul class="step-rubrics">
            {step.rubrics_held.map((rubric) => (
              <li key={rubric}>
                <Icon name={previous?.rubrics_held.includes(rubric) ? "check" : "plus"} size={12} />
                <span class="said">{rubric}</span>
              </li>
            ))}
          </ul>
        </Field>
      )}
      <p class="step-facts faint">
        {step.model_calls} model {step.model_calls === 1 ? "call" : "calls"} · {formatLarge(step.input_tokens)} tokens in ·{" "}
        {formatLarge(step.output_tokens)} tokens out
        {step.app && (
          <>
            {" · "}
            <bdi class="mono said">{step.app}</bdi>
          </>
        )}
      </p>
    </div>
  );
}

type StatePart = "subgoal" | "plan" | "progress" | "notes";

/** Show what the agent kept in mind at a step. A step without a text of its own, such as one that failed, kept the last. */
function StateText({ label, report, index, part }: { label: string; report: EpisodeReport; index: number; part: StatePart }): JSX.Element {
  const before = index === 0 ? undefined : (report.steps.slice(0, index).findLast((step) => step[part])?.[part] ?? "");
  return <ChangedText label={label} text={report.steps[index]?.[part] || (before ?? "")} before={before} />;
}

function ActionCard({ report, film, person }: StepProps): JSX.Element {
  const { step } = film;
  const remark = scaleRemark(step);
  const isNow = !step.action && film.index === film.count - 1 && !isOver(report);
  return (
    <section class="action-card" aria-label="Action">
      <div class="action-card-head">
        <span class="action-card-words said" dir="auto">
          {isNow ? (person ? personWords(person) : "The step is under way") : actionWords(step)}
        </span>
        {step.by_person && (
          <Badge tone="accent" icon="hand" title="A person had taken the episode over.">
            <bdi class="clip">by {step.by_person}</bdi>
          </Badge>
        )}
        {step.outcome ? <VerdictPill verdict={step.outcome} /> : step.action && <Badge>no verdict</Badge>}
        {step.judged_by === "rule" && <span class="faint">by the rule <span class="said">{step.rule}</span></span>}
        {step.judged_by === "agent" && <span class="faint">by the reply of step {step.step + 1}</span>}
      </div>
      {step.typed_text && (
        <p class="action-card-row">
          <span class="faint">Typed</span>
          <span class="said">{step.typed_text}</span>
        </p>
      )}
      {step.expectation && (
        <p class="action-card-row">
          <span class="faint">Expected</span>
          <span class="said">{step.expectation}</span>
        </p>
      )}
      {remark && (
        <p class="action-card-row">
          <span class="faint">Places</span>
          <span class="said">{remark}</span>
        </p>
      )}
    </section>
  );
}
