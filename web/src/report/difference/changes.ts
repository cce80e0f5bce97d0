/** Say in words what changed between two runs, and with which colour. */
import type { Tone } from "../../components/Badge";

interface Looks {
  readonly title: string;
  readonly tone: Tone;
}

/** In the order in which a person wants to see them. */
const CHANGES: Readonly<Record<string, Looks>> = {
  newly_failing: { title: "Newly failing", tone: "bad" },
  newly_passing: { title: "Newly passing", tone: "good" },
  newly_flaky: { title: "Newly flaky", tone: "warn" },
  otherwise_failing: { title: "Failing otherwise", tone: "warn" },
  slower: { title: "Slower", tone: "warn" },
  other_screens: { title: "Other screens", tone: "accent" },
  added: { title: "Added", tone: "quiet" },
  removed: { title: "Removed", tone: "quiet" },
  same: { title: "Same", tone: "quiet" },
};

export const CHANGE_ORDER: readonly string[] = Object.keys(CHANGES);

/** Return how a change is shown. */
export function looksOf(change: string): Looks {
  return CHANGES[change] ?? { title: change.replaceAll("_", " "), tone: "quiet" };
}
