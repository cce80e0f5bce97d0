/** Submits a batch: goals one a line, or a YAML file that is dropped, chosen or pasted. Mistakes show while one types. */

import "./submit.css";
import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { go } from "../../state/address";
import { formatCounted } from "../../state/format";
import { makeRequestKey } from "../data/request_key";
import { refusalFor } from "../data/session";
import { useAction } from "../shared/action";
import { RoleNote } from "../shared/Allowed";
import { PageHead } from "../shared/PageHead";
import { ProblemNote } from "../shared/ProblemNote";
import { places } from "../shell/routes";
import { BatchFieldset } from "./BatchFieldset";
import { NO_FIELDS, submit } from "./submission";
import { FilePlace, TaskTextField, useTaskText } from "./TaskText";

export function SubmitPage(): JSX.Element {
  const fields = useSignal(NO_FIELDS);
  const text = useTaskText(fields);
  const { submission, check } = text;
  const key = useMemo(makeRequestKey, [JSON.stringify(submission)]);
  const sending = useAction(async () => {
    const batch = await submit(submission, key);
    go(["batches", batch.id]);
  });
  const isReady = text.isReady && refusalFor("submit") === null;
  return (
    <FilePlace text={text}>
      <PageHead crumbs={[{ name: "Work", href: places.work() }]} title="Submit a batch" />
      <RoleNote needs="submit" what="Submitting" />
      <form
        class="submit-form"
        onInput={sending.forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void sending.run();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && isReady) void sending.run();
        }}
      >
        <div class="submit-text">
          <TaskTextField text={text} />
        </div>
        <div class="submit-side">
          <BatchFieldset fields={fields.value} onChange={(changed) => (fields.value = changed)} />
          {sending.problem.value && <ProblemNote problem={sending.problem.value} />}
          <Button type="submit" kind="primary" icon="plus" disabled={!isReady || sending.isRunning.value}>
            {sending.isRunning.value ? "Submitting…" : check && isReady ? `Submit ${formatCounted(check.tasks, "task")}` : "Submit"}
          </Button>
        </div>
      </form>
    </FilePlace>
  );
}
