/** Which action agents want to send, on one phone or on many: what is asked, what the screen shows, and the answers. */

import "./approval.css";
import type { JSX } from "preact";
import { formatCounted } from "../../state/format";
import { addressOf, change, part } from "../data/requests";
import type { Approval, ApprovalOutcome } from "../data/types";
import { useAction } from "../shared/action";
import { AllowedButton } from "../shared/Allowed";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { reloadAttention } from "../shell/attention_count";
import { places } from "../shell/routes";

/** How many phones are named; the others are counted. */
const NAMED = 6;

export function ApprovalCard({ approval }: { approval: Approval }): JSX.Element {
  const answer = useAction(async (word: "allow" | "decline") => {
    try {
      const outcomes = await change<ApprovalOutcome[]>("POST", `/approvals/${part(approval.id)}:${word}`);
      const missed = outcomes.filter((one) => one.problem);
      return missed.map((one) => `${one.serial}: ${one.problem}`).join("; ");
    } finally {
      reloadAttention(0);
    }
  });
  const owners = new Set(approval.episodes.map((one) => one.owner));
  const owner = owners.size === 1 ? approval.episodes[0]?.owner : undefined;
  const isBusy = answer.isRunning.value;
  const unnamed = approval.episodes.length - NAMED;
  return (
    <article class="approval panel" aria-label={approval.question}>
      <ApprovalPicture approval={approval} />
      <div class="approval-words">
        <h3 class="said">{approval.question}</h3>
        <p class="quiet said">{approval.goal}</p>
        <p>
          {formatCounted(approval.episodes.length, "phone")}:{" "}
          {approval.episodes.slice(0, NAMED).map((one, index) => (
            <>
              {index > 0 && ", "}
              <a class="mono said" href={places.episode(one.episode)}>
                {one.serial}
              </a>
            </>
          ))}
          {unnamed > 0 && ` and ${unnamed} more`}
        </p>
        <div class="approval-actions">
          <AllowedButton needs="approve" disabled={isBusy} kind="primary" icon="check" onClick={() => void answer.run("allow")}>
            {approval.episodes.length > 1 ? `Allow on ${formatCounted(approval.episodes.length, "phone")}` : "Allow"}
          </AllowedButton>
          <AllowedButton
            needs={owner === undefined ? "operate" : "submit"}
            {...(owner === undefined ? {} : { owner })}
            disabled={isBusy}
            kind="quiet"
            icon="cross"
            onClick={() => void answer.run("decline")}
          >
            Decline
          </AllowedButton>
        </div>
        {answer.problem.value && <ProblemNote problem={answer.problem.value} />}
        {answer.result.value && <Note tone="quiet">{answer.result.value}</Note>}
      </div>
    </article>
  );
}

/** The first phone's screen, with a ring where the action touches it. */
function ApprovalPicture({ approval }: { approval: Approval }): JSX.Element | null {
  const first = approval.episodes.find((one) => one.consent);
  if (!first?.consent) return null;
  const { screen, x, y } = first.consent;
  const address = addressOf(`/episodes/${part(first.episode)}/screens/${part(screen)}`, { width: 540 });
  return (
    <a class="approval-picture" href={places.episode(first.episode)} aria-label={`The screen of ${first.serial}`}>
      <img src={address} alt="" loading="lazy" />
      {x != null && y != null && <span class="approval-touch" style={{ left: `${100 * x}%`, top: `${100 * y}%` }} />}
    </a>
  );
}
