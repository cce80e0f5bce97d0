/** What is to be done, as a person writes it: goals one a line, or YAML that is typed, chosen or dropped. */

import "./submit.css";
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { choice, choose } from "../../state/address";
import { formatCounted } from "../../state/format";
import { problemOf, type Problem } from "../data/problem";
import type { BatchCheck } from "../data/types";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { Segments } from "../shared/Segments";
import { LineEditor } from "./LineEditor";
import { type BatchFields, checkSubmission, isEmpty, type Submission } from "./submission";

const PAUSE_MS = 400;
const KINDS = [
  { value: "goals", name: "Goals" },
  { value: "yaml", name: "YAML" },
] as const;
const GOALS_HINT = "Turn on dark mode.\nRead the last message from Maria and reply to it.";
const YAML_HINT = "tasks:\n  - id: dark\n    goal: Turn on dark mode.\n  - id: alarm\n    goal: Set an alarm for 6:30.";

export interface TaskText {
  readonly submission: Submission;
  /** What the service found in it; null before it was asked. */
  readonly check: BatchCheck | null;
  /** Why the service could not be asked. */
  readonly problem: Problem | null;
  /** Whether it holds tasks without a mistake. */
  readonly isReady: boolean;
  readonly setText: (text: string) => void;
  readonly takeFile: (file: File | undefined) => Promise<void>;
}

/** Keeps the text, and asks the service for mistakes while it is written. A file gives the batch its name. */
export function useTaskText(fields: Signal<BatchFields>): TaskText {
  const kind = choice("as") === "yaml" ? "yaml" : "goals";
  const texts = useSignal({ goals: "", yaml: "" });
  const submission: Submission = { kind, text: texts.value[kind], fields: fields.value };
  const { check, problem } = useCheck(submission);
  const takeFile = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    texts.value = { ...texts.value, yaml: await file.text() };
    if (fields.value.name === "") fields.value = { ...fields.value, name: file.name.replace(/\.ya?ml$/i, "") };
    choose({ as: "yaml" });
  };
  return {
    submission,
    check,
    problem,
    isReady: !isEmpty(submission) && (check?.mistakes ?? []).length === 0,
    setText: (text) => (texts.value = { ...texts.value, [kind]: text }),
    takeFile,
  };
}

/** A part of the page on which a YAML file may be dropped. */
export function FilePlace({ text, children }: { text: TaskText; children: ComponentChildren }): JSX.Element {
  const isOver = useSignal(false);
  return (
    <div
      class={`submit${isOver.value ? " submit-over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        void text.takeFile(event.dataTransfer?.files[0]);
      }}
    >
      {children}
    </div>
  );
}

/** The field for the text, what it may be, and what the service says of it. */
export function TaskTextField({ text }: { text: TaskText }): JSX.Element {
  const { kind } = text.submission;
  return (
    <>
      <div class="submit-kinds">
        <Segments label="What you write" value={kind} choices={KINDS} onChoose={(as) => choose({ as: as === "yaml" ? as : "" })} />
        <label class="button submit-file">
          Choose a YAML file
          <input
            type="file"
            class="unseen"
            accept=".yaml,.yml,application/yaml,text/yaml"
            onChange={(event) => void text.takeFile(event.currentTarget.files?.[0])}
          />
        </label>
        <span class="quiet submit-hint">or drop one anywhere here</span>
      </div>
      <LineEditor
        key={kind}
        value={text.submission.text}
        label={kind === "goals" ? "Goals, one a line" : "Tasks in YAML"}
        placeholder={kind === "goals" ? GOALS_HINT : YAML_HINT}
        mistakes={text.check?.mistakes ?? []}
        wraps={kind === "goals"}
        onInput={text.setText}
      />
      {text.problem && <ProblemNote problem={text.problem} />}
      <CheckWords check={text.check} isEmpty={isEmpty(text.submission)} />
    </>
  );
}

function CheckWords({ check, isEmpty: isNothing }: { check: BatchCheck | null; isEmpty: boolean }): JSX.Element | null {
  if (isNothing) {
    return (
      <p class="quiet">
        Say each goal as you would to a person. Tasks with checks, answers or hints are written in YAML, as{" "}
        <code>manyhands run</code> reads it.
      </p>
    );
  }
  if (check === null || check.mistakes.length > 0) return null;
  return (
    <>
      <p class="submit-good">{formatCounted(check.tasks, "task")} without a mistake.</p>
      {check.unmatched.map((one) => (
        <Note key={`${one.task} ${one.phones}`} tone="warn">
          <p class="said">
            No phone of the fleet fits {one.task === null ? "the batch's" : `${one.task}'s`} selector <code>{one.phones}</code>.
            {one.task === null ? " Its tasks wait" : " It waits"} until such a phone comes.
          </p>
        </Note>
      ))}
      {check.deadline_warning && (
        <Note tone="warn">
          <p class="said">{check.deadline_warning}</p>
        </Note>
      )}
    </>
  );
}

/** Asks the service for mistakes a moment after the last change. */
function useCheck(submission: Submission): { check: BatchCheck | null; problem: Problem | null } {
  const check = useSignal<BatchCheck | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    if (isEmpty(submission)) {
      check.value = null;
      problem.value = null;
      return undefined;
    }
    const cut = new AbortController();
    const timer = setTimeout(() => {
      checkSubmission(submission, cut.signal).then(
        (answer) => {
          check.value = answer;
          problem.value = null;
        },
        (error: unknown) => {
          if (!cut.signal.aborted) problem.value = problemOf(error);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      cut.abort();
    };
  }, [JSON.stringify(submission)]);
  return { check: check.value, problem: problem.value };
}
