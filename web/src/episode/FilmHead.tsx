/** What an episode is: its goal, how it ended, where and when it ran, and what it cost. */
import "./filmHead.css";
import type { ComponentChildren, JSX } from "preact";
import { Badge, type Tone } from "../components/Badge";
import { Icon, type IconName } from "../components/icons";
import { formatCount, formatCounted, formatLarge, formatSeconds, formatTime, zoneName } from "../state/format";
import { endingLabel } from "./actionWords";
import { LongText } from "./ChangedText";
import { type EpisodeResult, episodeResult } from "./failureStory";
import type { PersonNow } from "./filmSource";
import type { EpisodeReport } from "./types";

const RESULTS: Readonly<Record<EpisodeResult, { tone: Tone; icon: IconName; words: string }>> = {
  running: { tone: "accent", icon: "play", words: "running" },
  done: { tone: "good", icon: "check", words: "done" },
  failed: { tone: "bad", icon: "cross", words: "failed" },
  undecided: { tone: "warn", icon: "info", words: "undecided" },
  cancelled: { tone: "quiet", icon: "stop", words: "cancelled" },
};

interface HeadProps {
  readonly report: EpisodeReport;
  /** Who has the phone of a running episode instead of the agent, if anybody. */
  readonly person?: PersonNow | null | undefined;
  /** What can be done with the episode, such as stop. */
  readonly tools?: ComponentChildren;
}

function holdLook({ name, isReader, isPaused }: PersonNow): { tone: Tone; icon: IconName; words: string } {
  const by = isReader ? "you" : name || "a person";
  return isPaused ? { tone: "warn", icon: "pause", words: `paused by ${by}` } : { tone: "warn", icon: "hand", words: `taken over by ${by}` };
}

/** Show the head of a film. */
export function FilmHead({ report, person, tools }: HeadProps): JSX.Element {
  const { episode } = report;
  const found = episodeResult(report);
  const result = found === "running" && person ? holdLook(person) : RESULTS[found];
  return (
    <header class="film-head">
      <div class="film-title">
        <Badge tone={result.tone} icon={result.icon}>
          {result.words}
        </Badge>
        <h1>
          <LongText class="film-goal">{episode.goal}</LongText>
        </h1>
        {tools && <div class="film-tools">{tools}</div>}
      </div>
      <Facts report={report} />
      {episode.answer != null && (
        <p class="film-answer">
          <span class="quiet">Answer</span>
          <span class="said">{episode.answer}</span>
        </p>
      )}
      <EpisodeDetails report={report} />
    </header>
  );
}

function Facts({ report }: { report: EpisodeReport }): JSX.Element {
  const { episode, steps } = report;
  const sum = (part: "input_tokens" | "output_tokens" | "model_calls"): number => steps.reduce((all, one) => all + one[part], 0);
  const seconds = episode.ended_at == null ? null : episode.ended_at - episode.started_at;
  return (
    <dl class="film-facts">
      <Fact name="Task">
        <bdi>{episode.task}</bdi>
        {episode.attempt > 1 && `, attempt ${episode.attempt}`}
      </Fact>
      {episode.ending && <Fact name="Ending">{endingLabel(episode.ending)}</Fact>}
      {episode.verified != null && (
        <Fact name="Check">
          {episode.verified ? "holds" : "does not hold"}
          {episode.verified_by === "judge" && ", by a judge"}
        </Fact>
      )}
      {episode.phone && (
        <Fact name="Phone">
          <bdi>{episode.phone}</bdi>
        </Fact>
      )}
      <Fact name="Steps">
        {formatCount(episode.steps)} done
        {report.max_steps != null && `, at most ${formatCount(report.max_steps)}`}
      </Fact>
      {seconds !== null && <Fact name="Time">{formatSeconds(seconds)}</Fact>}
      <Fact name="Model">
        {formatCounted(sum("model_calls"), "call")}, {formatLarge(sum("input_tokens"))} tokens in,{" "}
        {formatLarge(sum("output_tokens"))} out
      </Fact>
      <Fact name="Began">
        {formatTime(episode.started_at)} {zoneName(episode.started_at)}
      </Fact>
      {(episode.resumed ?? 0) > 0 && <Fact name="Resumed">{formatCounted(episode.resumed ?? 0, "time")}</Fact>}
      {(episode.damaged ?? 0) > 0 && (
        <Fact name="Journal">
          {formatCounted(episode.damaged ?? 0, "place")} cannot be read
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class="film-fact">
      <dt>{name}</dt>
      <dd class="said">{children}</dd>
    </div>
  );
}

const WAYS = { given: "given", added: "taught", changed: "changed", removed: "removed" } as const;

/** Show what else is known of the episode as a whole, folded: judges' words, lessons, profile. */
function EpisodeDetails({ report }: { report: EpisodeReport }): JSX.Element {
  const { episode } = report;
  return (
    <details class="film-details">
      <summary>
        <Icon name="right" size={12} /> More about this episode
      </summary>
      <dl class="film-facts">
        <Fact name="Episode">
          <bdi class="mono">{episode.id}</bdi>
        </Fact>
        {report.batch && <Fact name="Batch">{report.batch}</Fact>}
        <Fact name="Profile">{episode.profile}</Fact>
        {report.schedule && <Fact name="Schedule">{report.schedule}</Fact>}
        {report.apps.length > 0 && <Fact name="Apps">{report.apps.join(", ")}</Fact>}
        {report.tags.length > 0 && <Fact name="Tags">{report.tags.join(", ")}</Fact>}
      </dl>
      {episode.answer_data != null && <pre class="said film-data">{JSON.stringify(episode.answer_data, null, 2)}</pre>}
      {report.judged.map((said, index) => (
        <p key={index} class="film-judged">
          <Badge tone={said.verdict === "yes" ? "good" : said.verdict === "no" ? "bad" : "warn"}>
            judge: {said.verdict ?? "no answer"}
          </Badge>{" "}
          <span class="said">{said.statement}</span> <span class="said quiet">{said.reason}</span>
        </p>
      ))}
      {report.lesson_problem && <p class="said">Nothing was learned: {report.lesson_problem}</p>}
      {report.lessons.length > 0 && (
        <ul class="film-lessons">
          {report.lessons.map((lesson, index) => (
            <li key={index}>
              <Badge tone={lesson.way === "given" ? "quiet" : "accent"}>
                {lesson.kind}, {WAYS[lesson.way]}
              </Badge>
              <LongText>{lesson.text || lesson.id}</LongText>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}
