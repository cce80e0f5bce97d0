/** Submits a batch: goals one a line, or a YAML file that is dropped, chosen or pasted. Mistakes show while one types. */

import "./submit.css";
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { choice, choose, go } from "../../state/address";
import { formatCounted } from "../../state/format";
import { problemOf, type Problem } from "../data/problem";
import { makeRequestKey } from "../data/request_key";
import { refusalFor } from "../data/session";
import type { BatchCheck } from "../data/types";
import { useAction } from "../shared/action";
import { RoleNote } from "../shared/Allowed";
import { PageHead } from "../shared/PageHead";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { Segments } from "../shared/Segments";
import { places } from "../shell/routes";
import { BatchFieldset } from "./BatchFieldset";
import { LineEditor } from "./LineEditor";
import { checkSubmission, isEmpty, NO_FIELDS, submit, type Submission } from "./submission";

const PAUSE_MS = 400;
const KINDS = [
  { value: "goals", name: "Goals" },
  { value: "yaml", name: "YAML" },
] as const;
const GOALS_HINT = "Turn on dark mode.\nRead the last message from Maria and reply to it.";
const YAML_HINT = "tasks:\n  - id: dark\n    goal: Turn on dark mode.\n  - id: alarm\n    goal: Set an alarm for 6:30.";

export function SubmitPage(): JSX.Element {
  const kind = choice("as") === "yaml" ? "yaml" : "goals";
  const texts = useSignal({ goals: "", yaml: "" });
  const fields = useSignal(NO_FIELDS);
  const isOver = useSignal(false);
  const submission: Submission = { kind, text: texts.value[kind], fields: fields.value };
  const check = useCheck(submission);
  const key = useMemo(makeRequestKey, [JSON.stringify(submission)]);
  const sending = useAction(async () => {
    const batch = await submit(submission, key);
    go(["batches", batch.id]);
  });

  const setText = (text: string, of: "goals" | "yaml" = kind): void => {
    texts.value = { ...texts.value, [of]: text };
    sending.forget();
  };
  const takeFile = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    setText(await file.text(), "yaml");
    if (fields.value.name === "") fields.value = { ...fields.value, name: file.name.replace(/\.ya?ml$/i, "") };
    choose({ as: "yaml" });
  };
  const mistakes = check.found?.mistakes ?? [];
  const isReady = !isEmpty(submission) && mistakes.length === 0 && refusalFor("submit") === null;
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
        void takeFile(event.dataTransfer?.files[0]);
      }}
    >
      <PageHead crumbs={[{ name: "Work", href: places.work() }]} title="Submit a batch" />
      <RoleNote needs="submit" what="Submitting" />
      <form
        class="submit-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void sending.run();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && isReady) void sending.run();
        }}
      >
        <div class="submit-text">
          <div class="submit-kinds">
            <Segments label="What you write" value={kind} choices={KINDS} onChoose={(as) => choose({ as: as === "yaml" ? as : "" })} />
            <label class="button submit-file">
              Choose a YAML file
              <input
                type="file"
                class="unseen"
                accept=".yaml,.yml,application/yaml,text/yaml"
                onChange={(event) => void takeFile(event.currentTarget.files?.[0])}
              />
            </label>
            <span class="quiet submit-hint">or drop one anywhere here</span>
          </div>
          <LineEditor
            key={kind}
            value={texts.value[kind]}
            label={kind === "goals" ? "Goals, one a line" : "Tasks in YAML"}
            placeholder={kind === "goals" ? GOALS_HINT : YAML_HINT}
            mistakes={mistakes}
            onInput={(text) => setText(text)}
          />
          {check.problem && <ProblemNote problem={check.problem} />}
          <CheckWords check={check.found} isEmpty={isEmpty(submission)} />
        </div>
        <div class="submit-side">
          <BatchFieldset fields={fields.value} onChange={(changed) => (fields.value = changed)} />
          {sending.problem.value && <ProblemNote problem={sending.problem.value} />}
          <Button type="submit" kind="primary" icon="plus" disabled={!isReady || sending.isRunning.value}>
            {sending.isRunning.value ? "Submitting…" : check.found && isReady ? `Submit ${formatCounted(check.found.tasks, "task")}` : "Submit"}
          </Button>
        </div>
      </form>
    </div>
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
function useCheck(submission: Submission): { found: BatchCheck | null; problem: Problem | null } {
  const found = useSignal<BatchCheck | null>(null);
  const problem = useSignal<Problem | null>(null);
  useEffect(() => {
    if (isEmpty(submission)) {
      found.value = null;
      problem.value = null;
      return undefined;
    }
    const cut = new AbortController();
    const timer = setTimeout(() => {
      checkSubmission(submission, cut.signal).then(
        (check) => {
          found.value = check;
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
  return { found: found.value, problem: problem.value };
}
