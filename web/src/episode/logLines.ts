/** Read what `adb logcat` wrote, and find the lines of a step. */

export interface LogLine {
  /** When the line was written, in Unix seconds; null for a line without a time. */
  readonly at: number | null;
  /** V, D, I, W, E or F; "" for a line of another form. */
  readonly level: string;
  readonly tag: string;
  readonly text: string;
}

/** `-v epoch`: `1795732394.335  1234  1250 I ActivityManager: text`. */
const EPOCH = /^\s*(\d{9,}\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;
/** `-v threadtime`, with or without a year: `11-26 22:33:14.335  1234  1250 I ActivityManager: text`. */
const CLOCK = /^(?:(\d{4})-)?(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d\.\d+)\s+\d+\s+\d+\s+([VDIWEFA])\s+(.*?)\s*: ?(.*)$/;

/** Read a log. `near`: a time of the episode in Unix seconds; it tells the year of lines that do not name theirs. */
export function readLog(log: string, near: number): LogLine[] {
  const lines: LogLine[] = [];
  for (const raw of log.split("\n")) {
    const line = raw.replace(/\r$/, "");
    if (line) lines.push(readLine(line, near, lines.at(-1)?.at ?? null));
  }
  return lines;
}

function readLine(line: string, near: number, before: number | null): LogLine {
  const epoch = EPOCH.exec(line);
  if (epoch) return { at: Number(epoch[1]), level: epoch[2] ?? "", tag: epoch[3] ?? "", text: epoch[4] ?? "" };
  const clock = CLOCK.exec(line);
  if (!clock) return { at: before, level: "", tag: "", text: line };
  const [, year, month, day, hour, minute, second, level = "", tag = "", text = ""] = clock;
  const at = new Date(Number(year ?? new Date(near * 1000).getFullYear()), Number(month) - 1, Number(day), Number(hour));
  return { at: at.getTime() / 1000 + Number(minute) * 60 + Number(second), level, tag, text };
}

/** Return the lines from `from` on and before `to`, in Unix seconds. `to` of null: no end. */
export function linesBetween(lines: readonly LogLine[], from: number, to: number | null): LogLine[] {
  return lines.filter((line) => line.at !== null && line.at >= from && (to === null || line.at < to));
}

const LEVELS = "VDIWEF";

/** Return the lines of a level or a worse one that have a text in their tag or their text. */
export function filterLines(lines: readonly LogLine[], level: string, wanted: string): LogLine[] {
  const least = Math.max(0, LEVELS.indexOf(level));
  const text = wanted.trim().toLowerCase();
  return lines.filter((line) => {
    if (line.level && LEVELS.indexOf(line.level === "A" ? "F" : line.level) < least) return false;
    return !text || line.tag.toLowerCase().includes(text) || line.text.toLowerCase().includes(text);
  });
}
