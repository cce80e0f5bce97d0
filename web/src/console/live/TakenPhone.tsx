/** The phone of an episode that the signed-in person has taken over: what the person does on its picture is sent. */

import type { JSX } from "preact";
import { PhoneSurface } from "../../episode";
import { addressOf, part } from "../data/requests";
import { now } from "../shared/now";
import { formatElapsed } from "../shared/Elapsed";
import type { ControlledEpisode } from "./episode_control";

/** From how many seconds before its end a takeover says that it will end. */
const NEAR_END_S = 120;

export function TakenPhone({ control }: { control: ControlledEpisode }): JSX.Element | null {
  const state = control.state.value;
  if (state === null) return null;
  const screen = state.screen ?? null;
  const path = `/episodes/${part(state.episode)}/screens/`;
  const left = state.ends_at == null ? null : state.ends_at - now.value;
  return (
    <div class="taken">
      {left !== null && left < NEAR_END_S && (
        <p class="taken-end quiet">Without another action, {state.is_by_hand ? "the phone is free again" : "the agent gets the phone back"} in {formatElapsed(left)}.</p>
      )}
      <PhoneSurface
        screen={screen}
        picture={screen === null ? null : addressOf(path + part(screen))}
        hasField={state.keyboard !== "hidden"}
        size={[state.width ?? 1080, state.height ?? 2400]}
        isBusy={control.pending.value !== null}
        onAct={(action, seen) => control.act(seen, action)}
        problem={control.problem.value && `${control.problem.value.title}: ${control.problem.value.detail}`}
        result={control.result.value}
      />
    </div>
  );
}
