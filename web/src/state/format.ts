/** Write numbers with units, and times in the viewer's zone. A no-break space stands between a number and its unit. */

const SPACE = "\u00a0";
const MINUS = "\u2212";
const DASH = "\u2013";
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const zone = new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" });

/** What stands in place of a value that is not known. */
export const NONE = DASH;

/** `1234` is `1,234`. */
export function formatCount(value: number | null | undefined): string {
  return value == null ? NONE : whole.format(value).replace("-", MINUS);
}

/** `12.3` is `12.3`, `1234.5` is `1,235`: three digits say enough. */
export function formatNumber(value: number | null | undefined): string {
  if (value == null || Number.isNaN(value)) return NONE;
  const size = Math.abs(value);
  const digits = size >= 100 || size === 0 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString("en", { maximumFractionDigits: digits }).replace("-", MINUS);
}

/** `0.25` is `250 ms`, `75` is `1 min 15 s`, `7500` is `2 h 5 min`. */
export function formatSeconds(seconds: number | null | undefined): string {
  if (seconds == null || Number.isNaN(seconds)) return NONE;
  if (seconds < 0) return MINUS + formatSeconds(-seconds);
  if (seconds === 0) return `0${SPACE}s`;
  if (seconds < 0.9995) return `${Math.max(1, Math.round(seconds * 1000))}${SPACE}ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)}${SPACE}s`;
  const total = Math.round(seconds);
  if (total < 60) return `${total}${SPACE}s`;
  if (total < 3600) return pair(Math.floor(total / 60), "min", total % 60, "s");
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return pair(Math.floor(minutes / 60), "h", minutes % 60, "min");
  const hours = Math.round(seconds / 3600);
  return pair(Math.floor(hours / 24), "d", hours % 24, "h");
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  const first = `${large}${SPACE}${largeUnit}`;
  return small ? `${first}${SPACE}${small}${SPACE}${smallUnit}` : first;
}

/** `0.1234` is `12 %`, `0.034` is `3.4 %`. */
export function formatShare(share: number | null | undefined): string {
  if (share == null || Number.isNaN(share)) return NONE;
  const percent = share * 100;
  return `${percent !== 0 && Math.abs(percent) < 9.95 ? trim(percent.toFixed(1)) : Math.round(percent)}${SPACE}%`;
}

function trim(number: string): string {
  return number.replace(/\.0$/, "");
}

/** `12345` is `12.3 k`: for counts whose last digits say nothing, such as tokens. */
export function formatLarge(value: number | null | undefined): string {
  if (value == null) return NONE;
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]] as const) {
    if (value >= size * 0.9995) return `${formatNumber(Number((value / size).toPrecision(3)))}${SPACE}${unit}`;
  }
  return formatNumber(value);
}

/** `1536` is `1.5 KiB`. */
export function formatBytes(bytes: number | null | undefined): string {
  if (bytes == null) return NONE;
  for (const [size, unit] of [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]] as const) {
    if (bytes >= size) return `${formatNumber(Number((bytes / size).toPrecision(3)))}${SPACE}${unit}`;
  }
  return `${formatCount(bytes)}${SPACE}B`;
}

/** The time of day, such as `14:03:59`. `at`: seconds since 1970. */
export function formatClock(at: number | null | undefined): string {
  return at == null ? NONE : clock.format(at * 1000);
}

/** Day and time of day, such as `26 Nov 2026, 14:03:59`. */
export function formatTime(at: number | null | undefined): string {
  return at == null ? NONE : `${day.format(at * 1000)}, ${clock.format(at * 1000)}`;
}

/** The name of the viewer's zone at a time, such as `CET` or `UTC+8`. */
export function zoneName(at: number): string {
  return zone.formatToParts(at * 1000).find((part) => part.type === "timeZoneName")?.value ?? "";
}

/** A count with its noun: `1 step`, `2 steps`. `many`: the plural where it is not the noun with an s. */
export function formatCounted(count: number, noun: string, many = `${noun}s`): string {
  return `${formatCount(count)}${SPACE}${count === 1 ? noun : many}`;
}
