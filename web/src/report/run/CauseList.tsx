/** Why tasks failed: the same ending, app and reason once, with a count. A cause filters the tasks. */
import "./causes.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge } from "../../components/Badge";
import { Button } from "../../components/Button";
import { choiceList, chooseList } from "../../state/address";
import { formatCount, formatCounted } from "../../state/format";
import type { FailureCause } from "../../api/schema";
import { endingWords } from "../words";

const FEW = 4;

/** Show the causes, the most frequent first. Nothing is shown where no task failed. */
export function CauseList({ causes }: { causes: readonly FailureCause[] }): JSX.Element | null {
  const [isWhole, showWhole] = useState(false);
  const chosen = choiceList("cause");
  if (!causes.length) return null;
  const most = Math.max(...causes.map((one) => one.tasks.length));
  const shown = isWhole ? causes : causes.slice(0, FEW);
  return (
    <section class="causes panel" aria-labelledby="causes-title">
      <header class="panel-head">
        <h2 id="causes-title">Why tasks failed</h2>
        <span class="faint">{formatCounted(causes.length, "cause")}</span>
      </header>
      <ul>
        {shown.map((cause) => {
          const isChosen = chosen.includes(cause.id);
          return (
            <li key={cause.id}>
              <button
                type="button"
                class="cause"
                aria-pressed={isChosen}
                onClick={() => chooseList("cause", isChosen ? [] : [cause.id])}
              >
                <span class="cause-count num">{formatCount(cause.tasks.length)}</span>
                <span class="cause-words">
                  <span class="cause-reason said">{cause.reason || endingWords(cause.ending)}</span>
                  <span class="cause-about">
                    <Badge tone="bad">{cause.ending === "finished" ? "check not met" : endingWords(cause.ending)}</Badge>
                    {cause.tasks.length === 1 && <span class="clip mono said">{cause.tasks[0]}</span>}
                    {cause.app && <span class="clip quiet">{cause.app}</span>}
                  </span>
                </span>
                <span class="cause-bar" aria-hidden="true">
                  <span style={{ width: `${(cause.tasks.length / most) * 100}%` }} />
                </span>
                <span class="cause-do">{isChosen ? "Show all" : "Show"}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {causes.length > FEW && (
        <Button kind="quiet" class="causes-more" icon={isWhole ? "up" : "down"} onClick={() => showWhole(!isWhole)}>
          {isWhole ? "Fewer" : `All ${formatCount(causes.length)} causes`}
        </Button>
      )}
    </section>
  );
}
