/** Why an episode failed: one sentence, and what it rests on. */
import "./failurePanel.css";
import type { JSX } from "preact";
import { Icon } from "../components/icons";
import { LongText } from "./ChangedText";
import { failureStory } from "./failureStory";
import { stepLink } from "./filmState";
import type { EpisodeReport } from "./types";

/** Show why the episode failed; nothing if it did not. */
export function FailurePanel({ report }: { report: EpisodeReport }): JSX.Element | null {
  const story = failureStory(report);
  if (!story) return null;
  return (
    <section class="failure" aria-label="Why it failed">
      <h2 class="failure-head">
        <Icon name="warning" />
        {story.headline}
      </h2>
      <dl class="failure-lines">
        {story.lines.map((line, index) => (
          <div key={index} class="failure-line">
            <dt>{line.step === undefined ? line.label : <a href={stepLink(line.step)}>{line.label}</a>}</dt>
            <dd>
              <LongText class="failure-text">{line.text}</LongText>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
