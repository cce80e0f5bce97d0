/** Small labels that say how something stands: an ending, a verdict, a count. */
import "./badge.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon, type IconName } from "./icons";

export type Tone = "good" | "bad" | "warn" | "quiet" | "accent";

/** Show a word on a soft ground. `icon` stands before it, so that the colour is not all that tells. */
export function Badge(props: { tone?: Tone; icon?: IconName; title?: string; children: ComponentChildren }): JSX.Element {
  return (
    <span class={`badge badge-${props.tone ?? "quiet"}`} title={props.title}>
      {props.icon && <Icon name={props.icon} size={12} />}
      {props.children}
    </span>
  );
}

const VERDICTS: Record<string, { tone: Tone; icon: IconName; words: string }> = {
  A: { tone: "good", icon: "check", words: "as expected" },
  B: { tone: "bad", icon: "cross", words: "wrong page" },
  C: { tone: "warn", icon: "minus", words: "no change" },
};

/** Show a verdict on an action: A, B or C. `short`: the letter without its words. */
export function VerdictPill({ verdict, short }: { verdict: string | null | undefined; short?: boolean }): JSX.Element {
  const known = verdict ? VERDICTS[verdict] : undefined;
  if (!known) return <Badge tone="quiet">{verdict || "no verdict"}</Badge>;
  return (
    <Badge tone={known.tone} icon={known.icon} title={`${verdict}: ${known.words}`}>
      {short ? verdict : known.words}
      {short && <span class="unseen">: {known.words}</span>}
    </Badge>
  );
}
