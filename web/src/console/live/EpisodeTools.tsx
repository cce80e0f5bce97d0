/** What can be done with an episode that runs: pause it, take it over, hand it back, stop it. */

import "./live.css";
import type { JSX } from "preact";
import { ownName, refusalFor } from "../data/session";
import { AllowedButton, RoleNote } from "../shared/Allowed";
import { ConfirmButton } from "../shared/ConfirmButton";
import { QuestionForm } from "./QuestionForm";
import type { ControlledEpisode, ControlVerb } from "./episode_control";

const PENDING: Readonly<Partial<Record<ControlVerb | "action", string>>> = {
  pause: "Pausing…",
  resume: "Resuming…",
  stop: "Stopping…",
  "take-over": "Waiting for the action under way to end…",
  "hand-back": "Handing back…",
};

export function EpisodeTools({ control, owner }: { control: ControlledEpisode; owner: string | undefined }): JSX.Element | null {
  const state = control.state.value;
  if (state === null || state.phase === "ended") return <Result control={control} />;
  const needs = owner === undefined ? ("operate" as const) : ("submit" as const);
  const common = { needs, ...(owner === undefined ? {} : { owner }), disabled: control.pending.value !== null };
  return (
    <div class="live-tools">
      <div class="live-buttons">
        {state.phase === "running" && (
          <AllowedButton {...common} icon="pause" onClick={() => void control.ask("pause")}>
            Pause
          </AllowedButton>
        )}
        {state.phase === "paused" && !state.question && (
          <AllowedButton {...common} icon="play" onClick={() => void control.ask("resume")}>
            Resume
          </AllowedButton>
        )}
        {(state.phase === "running" || state.phase === "paused") && !state.question && (
          <AllowedButton {...common} icon="hand" onClick={() => void control.ask("take-over")}>
            Take over
          </AllowedButton>
        )}
        {state.phase === "taken_over" && (
          <AllowedButton
            {...common}
            needs={state.by === ownName() ? needs : "operate"}
            kind="primary"
            icon="play"
            onClick={() => void control.ask("hand-back")}
          >
            Hand back
          </AllowedButton>
        )}
        {state.phase !== "stopping" && (
          <ConfirmButton
            {...common}
            name="Stop"
            icon="stop"
            question={state.is_by_hand ? "Give the phone back now? The takeover ends as cancelled." : "Stop this episode? Its task ends as cancelled."}
            yes="Stop it"
            onConfirm={() => void control.ask("stop")}
          />
        )}
      </div>
      {state.question && state.phase === "paused" && (
        <QuestionForm episode={state.episode} question={state.question} consent={state.consent?.id} owner={owner} onChange={() => control.reload()} />
      )}
      {refusalFor(needs, owner) !== null && <RoleNote needs={needs} {...(owner === undefined ? {} : { owner })} what="Steering" />}
      {!(state.phase === "taken_over" && state.by === ownName()) && <Result control={control} />}
    </div>
  );
}

/** What came of the last request. While a person has the phone, it stands below the phone's picture. */
function Result({ control }: { control: ControlledEpisode }): JSX.Element {
  const pending = control.pending.value;
  const problem = control.problem.value;
  return (
    <p class={`live-result${problem ? " live-result-bad" : ""}`} role="status">
      {pending !== null ? (PENDING[pending] ?? "") : problem ? `${problem.title}: ${problem.detail}` : control.result.value}
    </p>
  );
}
