/** Phones that get no work, models that do not answer, and episodes that people hold. */

import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { ownName } from "../data/session";
import type { AttentionModel, AttentionPhone, HeldEpisode } from "../data/types";
import { change, part } from "../data/requests";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { Ago } from "../shared/Elapsed";
import { ProblemNote } from "../shared/ProblemNote";
import { QuestionForm } from "../live/QuestionForm";
import { PHASE_WORDS } from "../fleet/PhoneTile";
import { reloadAttention } from "../shell/attention_count";
import { places } from "../shell/routes";

export function PhoneRow({ phone }: { phone: AttentionPhone }): JSX.Element {
  const release = useAction(async () => {
    await change("POST", `/phones/${part(phone.serial)}:release`);
    reloadAttention(0);
  });
  return (
    <li class="away">
      <Badge tone={phone.phase === "away" ? "bad" : "warn"} icon={phone.phase === "away" ? "cross" : "pause"}>
        {PHASE_WORDS[phone.phase]}
      </Badge>
      <a class="away-name mono clip" href={places.phone(phone.serial)}>
        {phone.serial}
      </a>
      <span class="away-reason said">{phone.reason}</span>
      {phone.since != null && (
        <span class="quiet">
          <Ago at={phone.since} />
        </span>
      )}
      {phone.phase === "aside" && (
        <AllowedButton needs="operate" icon="play" disabled={release.isRunning.value} onClick={() => void release.run()}>
          Release
        </AllowedButton>
      )}
      {release.problem.value && <ProblemNote problem={release.problem.value} />}
    </li>
  );
}

/** An episode that is paused or taken over. A pause has no end: whoever forgot it finds it here. */
export function HeldRow({ held }: { held: HeldEpisode }): JSX.Element {
  const free = useAction(async () => {
    await change("POST", `/episodes/${part(held.episode)}:${held.is_paused ? "resume" : "hand-back"}`);
    reloadAttention(0);
  });
  return (
    <li class="away">
      <Badge tone={held.is_paused ? "warn" : "accent"} icon={held.is_paused ? "pause" : "hand"}>
        {held.is_paused ? "paused" : "taken over"}
      </Badge>
      <a class="away-name clip" href={places.episode(held.episode)}>
        {held.goal || held.task}
      </a>
      <span class="away-reason">
        by <span class="said">{held.by}</span> on{" "}
        <a class="mono said" href={places.phone(held.serial)}>
          {held.serial}
        </a>
      </span>
      {held.since != null && (
        <span class="quiet">
          <Ago at={held.since} />
        </span>
      )}
      <AllowedButton
        needs={held.is_paused || held.by === ownName() ? "submit" : "operate"}
        owner={held.owner}
        icon="play"
        disabled={free.isRunning.value}
        onClick={() => void free.run()}
      >
        {held.is_paused ? "Resume" : "Hand back"}
      </AllowedButton>
      {free.problem.value && <ProblemNote problem={free.problem.value} />}
    </li>
  );
}

/** An episode whose agent asks for a person. */
export function QuestionRow({ held }: { held: HeldEpisode }): JSX.Element {
  return (
    <li class="away">
      <Badge tone="warn" icon="hand">
        asks
      </Badge>
      <a class="away-name clip" href={places.episode(held.episode)}>
        {held.goal || held.task}
      </a>
      <span class="away-reason">
        on{" "}
        <a class="mono said" href={places.phone(held.serial)}>
          {held.serial}
        </a>
      </span>
      {held.since != null && (
        <span class="quiet">
          <Ago at={held.since} />
        </span>
      )}
      <QuestionForm episode={held.episode} question={held.question ?? ""} consent={held.consent?.id} owner={held.owner} onChange={() => reloadAttention(0)} />
    </li>
  );
}

export function ModelRow({ model }: { model: AttentionModel }): JSX.Element {
  return (
    <li class="away">
      <Badge tone="bad" icon="cross">
        away
      </Badge>
      <a class="away-name clip" href={places.health()}>
        {model.what}
      </a>
      <span class="away-reason said">{model.reason}</span>
      {model.since != null && (
        <span class="quiet">
          <Ago at={model.since} />
        </span>
      )}
    </li>
  );
}
