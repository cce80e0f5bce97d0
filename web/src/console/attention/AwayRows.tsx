/** Phones that get no work, and models that do not answer, each with its reason. */

import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import type { AttentionModel, AttentionPhone } from "../data/types";
import { change, part } from "../data/requests";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { Ago } from "../shared/Elapsed";
import { ProblemNote } from "../shared/ProblemNote";
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
