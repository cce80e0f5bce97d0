/** Find the words by which two texts differ. */

export interface DiffPart {
  readonly kind: "same" | "gone" | "new";
  readonly text: string;
}

/** The most words of either text that are compared one by one; longer middles are shown as replaced. */
const MOST_WORDS = 600;

/** Texts that have a smaller share of the shorter one in common are shown one after the other, each whole. */
const LEAST_COMMON = 0.5;

/** Words, the spaces between them, and single characters of scripts that write no spaces. */
const WORDS = /\s+|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;

/** Return the parts of both texts in reading order: what both have, what only `before` has, what only `after` has. */
export function diffWords(before: string, after: string): DiffPart[] {
  if (before === after) return after ? [{ kind: "same", text: after }] : [];
  const old = before.match(WORDS) ?? [];
  const now = after.match(WORDS) ?? [];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const parts: DiffPart[] = [{ kind: "same", text: now.slice(0, start).join("") }];
  parts.push(...diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end)));
  parts.push({ kind: "same", text: now.slice(now.length - end).join("") });
  return areAlike(parts, before, after) ? tidy(parts) : wholeTexts(before, after);
}

function areAlike(parts: readonly DiffPart[], before: string, after: string): boolean {
  const common = parts.reduce((sum, { kind, text }) => sum + (kind === "same" ? visibleLength(text) : 0), 0);
  return common >= LEAST_COMMON * Math.min(visibleLength(before), visibleLength(after));
}

function visibleLength(text: string): number {
  return text.replace(/\s+/gu, "").length;
}

function wholeTexts(before: string, after: string): DiffPart[] {
  return [
    { kind: "gone", text: before },
    { kind: "same", text: "\n" },
    { kind: "new", text: after },
  ];
}

function diffMiddle(old: readonly string[], now: readonly string[]): DiffPart[] {
  const replaced: DiffPart[] = [
    { kind: "gone", text: old.join("") },
    { kind: "new", text: now.join("") },
  ];
  if (!old.length || !now.length || old.length > MOST_WORDS || now.length > MOST_WORDS) return replaced;
  const lengths = commonLengths(old, now);
  const across = now.length + 1;
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push({ kind: "same", text: now[j] as string });
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && at(lengths, (i + 1) * across + j) >= at(lengths, i * across + j + 1))) {
      parts.push({ kind: "gone", text: old[i] as string });
      i += 1;
    } else {
      parts.push({ kind: "new", text: now[j] as string });
      j += 1;
    }
  }
  return parts;
}

/** Return the lengths of the longest common subsequences of all tails, row by row. */
function commonLengths(old: readonly string[], now: readonly string[]): Uint16Array {
  const across = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * across);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      lengths[i * across + j] =
        old[i] === now[j]
          ? at(lengths, (i + 1) * across + j + 1) + 1
          : Math.max(at(lengths, (i + 1) * across + j), at(lengths, i * across + j + 1));
    }
  }
  return lengths;
}

function at(values: Uint16Array, index: number): number {
  return values[index] ?? 0;
}

/** Join neighbours of one kind. A lone space between two changes joins them, so that phrases stay whole. */
function tidy(parts: readonly DiffPart[]): DiffPart[] {
  const joined: { kind: DiffPart["kind"]; text: string }[] = [];
  let gone = "";
  let fresh = "";
  const flush = (): void => {
    if (gone) joined.push({ kind: "gone", text: gone });
    if (fresh) joined.push({ kind: "new", text: fresh });
    gone = fresh = "";
  };
  parts.forEach((part, index) => {
    if (!part.text) return;
    if (part.kind === "gone") gone += part.text;
    else if (part.kind === "new") fresh += part.text;
    else if (!part.text.trim() && gone && fresh && parts[index + 1] && parts[index + 1]?.kind !== "same") {
      gone += part.text;
      fresh += part.text;
    } else {
      flush();
      const last = joined.at(-1);
      if (last?.kind === "same") last.text += part.text;
      else joined.push({ kind: "same", text: part.text });
    }
  });
  flush();
  return joined;
}
