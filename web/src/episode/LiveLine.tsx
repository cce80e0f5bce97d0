/** What an episode does right now: its stages with their seconds, what a model writes, and how the connection stands. */
import "./liveLine.css";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { formatSeconds } from "../state/format";
import { type LiveState, type PersonNow, personWords } from "./filmSource";

/** Show it. */
export function LiveLine({ live }: { live: LiveState }): JSX.Element {
  const [now, setNow] = useState(Date.now() / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <section class="live" aria-label="Now">
      {live.connection === "lost" && (
        <p class="live-lost" role="alert">
          <Icon name="warning" /> The connection is lost. The page connects again by itself and then shows what it missed.
        </p>
      )}
      <p class="live-stages">
        <span class={`live-dot${live.connection === "open" ? " live-dot-on" : ""}`} aria-hidden="true" />
        {live.person ? (
          <span class="said">{holdLine(live.person, now)}</span>
        ) : live.stages.length ? (
          live.stages.map((one) => (
            <span key={`${one.step} ${one.stage}`} class="live-stage">
              <span class={`live-colour live-${one.stage}`} aria-hidden="true" />
              {one.stage} <span class="faint">step {one.step}</span>{" "}
              <span class="live-seconds">{formatSeconds(Math.max(0, Math.round(10 * (now - one.since)) / 10))}</span>
            </span>
          ))
        ) : (
          <span class="quiet">Between two stages</span>
        )}
      </p>
      {live.writing?.text && (
        <p class="live-writing">
          <span class="faint">{live.writing.agent} writes</span>{" "}
          <span class="said">{live.writing.text.slice(-400)}</span>
        </p>
      )}
    </section>
  );
}

function holdLine(person: PersonNow, now: number): string {
  const span = (seconds: number): string => formatSeconds(Math.max(0, Math.round(seconds)));
  const since = person.since === null ? "" : ` for ${span(now - person.since)}`;
  const back = person.endsAt === null ? "" : ` Without another action, ${person.isByHand ? "it is free again" : "the agent gets it back"} in ${span(person.endsAt - now)}.`;
  return `${personWords(person)}${since}.${back}`;
}
