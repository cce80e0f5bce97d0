/** The steps of both runs as two rows of small bars, coloured by their verdicts. A press shows a step. */
import type { JSX } from "preact";
import type { EpisodeReport } from "../../api/schema";

const FILLS: Readonly<Record<string, string>> = { A: "--good-fill", B: "--bad-fill", C: "--warn-fill" };
const WORDS: Readonly<Record<string, string>> = { A: "as expected", B: "wrong page", C: "no change" };

/** Show the two rows. `parts`: the first step that differs. */
export function StepLadder(props: {
  before: EpisodeReport | null;
  after: EpisodeReport | null;
  step: number;
  last: number;
  parts: number | null;
  onChange: (step: number) => void;
}): JSX.Element {
  const { before, after, step, last, parts, onChange } = props;
  const outcomes = [before, after].map((one) => new Map(one?.steps.map((each) => [each.step, each.outcome ?? ""]) ?? []));
  return (
    <div class="ladder">
      {Array.from({ length: last + 1 }, (_, number) => {
        const [left, right] = outcomes.map((one) => one.get(number));
        return (
          <button
            key={number}
            type="button"
            class={`ladder-step${number === parts ? " ladder-parts" : ""}`}
            aria-current={number === step ? "step" : undefined}
            aria-label={`Step ${number}: before ${wordsOf(left)}, after ${wordsOf(right)}`}
            onClick={() => onChange(number)}
          >
            <Bar outcome={left} />
            <Bar outcome={right} />
          </button>
        );
      })}
    </div>
  );
}

function wordsOf(outcome: string | undefined): string {
  return outcome === undefined ? "no step" : (WORDS[outcome] ?? "no verdict");
}

function Bar({ outcome }: { outcome: string | undefined }): JSX.Element {
  if (outcome === undefined) return <span class="ladder-none" />;
  return <span style={{ background: `var(${FILLS[outcome] ?? "--quiet-fill"})` }} />;
}
