/** One cause of failures: how often, in which app, why, with an example whose film opens at the failure. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { Icon } from "../../components/icons";
import { formatCount, formatCounted } from "../../state/format";
import { change, part } from "../data/requests";
import { refusalFor } from "../data/session";
import type { FailureCause, TaskStatus } from "../data/types";
import { useAction } from "../shared/action";
import { RoleNote } from "../shared/Allowed";
import { Ago } from "../shared/Elapsed";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { failureWords } from "../shared/states";
import { reloadAttention } from "../shell/attention_count";
import { places } from "../shell/routes";

/** Say why the reader may not retry or dismiss any task of a cause. */
function ChangeNote(): JSX.Element {
  if (refusalFor("submit") !== null) return <RoleNote needs="submit" what="Retrying and dismissing" />;
  return (
    <p class="role-note quiet">
      <Icon name="info" size={14} /> <span>These tasks belong to others. To retry or dismiss them, you need the role operate.</span>
    </p>
  );
}

/** Show the cause. `isLeast`: whether more tasks may have failed so than are counted. */
export function CauseCard({ cause, isLeast = false }: { cause: FailureCause; isLeast?: boolean | undefined }): JSX.Element {
  const isOpen = useSignal(false);
  const retry = useAction(async () => {
    const made = await change<readonly TaskStatus[]>("POST", `/attention/${part(cause.id)}:retry`);
    reloadAttention();
    return `${formatCounted(made.length, "task")} submitted again.`;
  });
  const dismiss = useAction(async () => {
    await change("POST", `/attention/${part(cause.id)}:dismiss`);
    reloadAttention(0);
  });
  const isBusy = retry.isRunning.value || dismiss.isRunning.value;
  const problem = retry.problem.value ?? dismiss.problem.value;
  const episode = cause.episodes[0];
  const isPart = cause.changeable < cause.count;
  const ofThem = isPart ? ` your ${formatCount(cause.changeable)}` : cause.count > 1 ? ` all ${formatCount(cause.count)}` : "";
  return (
    <article class="cause panel">
      <header class="cause-head">
        <span class="cause-count" aria-label={`${isLeast ? "at least " : ""}${formatCounted(cause.count, "task")}`}>
          {formatCount(cause.count)}
          {isLeast && "+"}×
        </span>
        <div class="cause-words">
          <h3 class="said">{cause.reason || failureWords(cause)}</h3>
          <p class="cause-about">
            <Badge tone="bad" icon="cross">
              {failureWords(cause)}
            </Badge>
            {cause.app && <span class="said">in {cause.app}</span>}
            {cause.action && <span class="said">at {cause.action}</span>}
            <span>
              last <Ago at={cause.last_at} />
            </span>
            {cause.count > 1 && (
              <span>
                first <Ago at={cause.first_at} />
              </span>
            )}
          </p>
        </div>
        <div class="cause-actions">
          {episode && (
            <a class="button button-primary" href={places.episode(episode)}>
              <Icon name="play" /> Open the failure
            </a>
          )}
          {cause.changeable > 0 && (
            <>
              <Button icon="retry" disabled={isBusy} onClick={() => void retry.run()}>
                Retry{ofThem}
              </Button>
              <Button kind="quiet" icon="check" disabled={isBusy} onClick={() => void dismiss.run()}>
                Dismiss{isPart && ofThem}
              </Button>
            </>
          )}
        </div>
      </header>
      {cause.changeable === 0 && <ChangeNote />}
      {problem && <ProblemNote problem={problem} />}
      {retry.result.value && <Note>{retry.result.value}</Note>}
      {cause.tasks.length > 1 && (
        <Button
          kind="quiet"
          icon={isOpen.value ? "up" : "down"}
          aria-expanded={isOpen.value}
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          {cause.tasks.length < cause.count ? `The last ${cause.tasks.length} tasks` : `All ${cause.tasks.length} tasks`}
        </Button>
      )}
      {(isOpen.value || cause.tasks.length === 1) && (
        <ul class="cause-tasks">
          {cause.tasks.map((task, number) => {
            const film = cause.episodes[number];
            return (
              <li key={task}>
                <a class="mono" href={film ? places.episode(film) : places.task(task)}>
                  {task}
                </a>
              </li>
            );
          })}
        </ul>
      )}
    </article>
  );
}
