/** What the agent of an episode asks a person: the question, a field for the answer, and the other ways out. */

import "./question.css";
import type { JSX } from "preact";
import { go } from "../../state/address";
import { change, part } from "../data/requests";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { ProblemNote } from "../shared/ProblemNote";

interface QuestionFormProps {
  episode: string;
  question: string;
  /** The id of the question, if it is whether an action may be sent. */
  consent: string | undefined;
  /** Who submitted the task; undefined if unknown. */
  owner: string | undefined;
  /** Called after an answer was taken or refused: somebody else may have been first. */
  onChange: () => void;
}

export function QuestionForm({ episode, question, consent, owner, onChange }: QuestionFormProps): JSX.Element {
  const path = `/episodes/${part(episode)}`;
  const answer = useAction(async (text: string | null, allows: string | null = null) => {
    try {
      await change("POST", `${path}:answer`, allows ? { text, allows } : { text });
    } finally {
      onChange();
    }
  });
  const takeover = useAction(async () => {
    await change("POST", `${path}:take-over`);
    onChange();
    go(["episodes", episode]);
  });
  const isBusy = answer.isRunning.value || takeover.isRunning.value;
  const needs = owner === undefined ? ("operate" as const) : ("submit" as const);
  const common = { needs, ...(owner === undefined ? {} : { owner }), disabled: isBusy };
  const problem = answer.problem.value ?? takeover.problem.value;
  return (
    <form
      class="question"
      onSubmit={(event) => {
        event.preventDefault();
        const text = String(new FormData(event.currentTarget).get("answer") ?? "").trim();
        if (text) void answer.run(text);
      }}
    >
      <p class="question-text said">{question}</p>
      {consent !== undefined ? (
        <AllowedButton needs="approve" disabled={isBusy} kind="primary" icon="check" onClick={() => void answer.run(null, consent)}>
          Allow
        </AllowedButton>
      ) : (
        <>
          <input class="input" name="answer" aria-label="Your answer" required maxLength={4000} autocomplete="off" placeholder="Your answer; type no secret" />
          <AllowedButton {...common} type="submit" kind="primary" icon="check">
            Answer
          </AllowedButton>
        </>
      )}
      <AllowedButton {...common} icon="hand" onClick={() => void takeover.run()}>
        Take over
      </AllowedButton>
      <AllowedButton {...common} kind="quiet" icon="cross" onClick={() => void answer.run(null)}>
        Decline
      </AllowedButton>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
