/** Draw the timeline: a row a phone, a bar a step. What is narrower than a pixel is drawn in larger parts. */
import { timeTicks } from "../../components/scale";
import { formatSeconds } from "../../state/format";
import type { EpisodeTrack, PhoneTrack, StepMark, TimelineEvent } from "../../api/schema";
import { stageFill, STAGE_FILLS, VERDICTS } from "../words";
import { AXIS, barOf, ROW, xOf, type Layout, type Place } from "./layout";

export type Colouring = "stage" | "verdict" | "ending";

export const COLOUR_NAMES = [
  ...new Set([
    "--surface",
    "--hairline",
    "--edge",
    "--hover",
    "--text",
    "--text-2",
    "--text-3",
    "--accent",
    "--bad",
    "--warn",
    "--warn-soft",
    "--quiet-soft",
    "--stage-other",
    ...Object.values(STAGE_FILLS),
    ...Object.values(VERDICTS).map((one) => one.fill),
  ]),
] as readonly `--${string}`[];

export type Colours = Readonly<Record<string, string>>;

export interface Scene {
  readonly layout: Layout;
  readonly phones: readonly PhoneTrack[];
  readonly events: readonly TimelineEvent[];
  readonly colouring: Colouring;
  readonly colours: Colours;
  readonly font: string;
  /** The tasks that the filters show; others are pale. */
  readonly tasks: ReadonlySet<string>;
  readonly marked: Place | null;
}

/** The width of a step in pixels below which its stages cannot be told from each other. */
const NARROW = 9;
const shares = new WeakMap<EpisodeTrack, readonly (readonly [stage: string, share: number])[]>();

/** The colour of each time in which a person held an episode. */
export const HOLD_FILLS: Readonly<Record<string, `--${string}`>> = { paused: "--warn", taken_over: "--accent" };
const VERDICT_FILLS: Readonly<Record<string, string>> = { A: "--good-fill", B: "--bad-fill", C: "--warn-fill" };

/** Draw all of it. The context's unit is a CSS pixel. */
export function drawTimeline(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, phones, colours } = scene;
  context.clearRect(0, 0, layout.width, layout.height);
  context.font = `11px ${scene.font}`;
  context.textBaseline = "middle";
  const first = Math.max(0, Math.floor(layout.scrolled / ROW));
  const last = Math.min(phones.length, Math.ceil((layout.scrolled + layout.height - AXIS) / ROW));
  drawOutages(context, scene);
  drawGrid(context, scene);
  context.save();
  context.beginPath();
  context.rect(layout.left, AXIS, layout.width - layout.left, layout.height - AXIS);
  context.clip();
  for (let row = first; row < last; row += 1) {
    const track = phones[row];
    if (track) for (const episode of track.episodes) drawEpisode(context, scene, row, episode);
  }
  drawHolds(context, scene);
  drawEvents(context, scene);
  context.restore();
  drawNames(context, scene, first, last);
  drawAxis(context, scene);
  context.fillStyle = colours["--hairline"] ?? "";
  context.fillRect(0, AXIS - 1, layout.width, 1);
}

function drawGrid(context: CanvasRenderingContext2D, { layout, colours }: Scene): void {
  context.fillStyle = colours["--hairline"] ?? "";
  for (const tick of ticksOf(layout)) context.fillRect(Math.round(xOf(layout, tick)), AXIS, 1, layout.height - AXIS);
}

function ticksOf(layout: Layout): number[] {
  return timeTicks(layout.span.from, layout.span.to, Math.max(2, Math.floor((layout.width - layout.left) / 90)));
}

function drawAxis(context: CanvasRenderingContext2D, { layout, colours }: Scene): void {
  context.fillStyle = colours["--surface"] ?? "";
  context.fillRect(0, 0, layout.width, AXIS - 1);
  context.fillStyle = colours["--text-3"] ?? "";
  context.textAlign = "left";
  for (const tick of ticksOf(layout)) {
    const x = xOf(layout, tick);
    if (x < layout.width - 50) context.fillText(formatSeconds(tick), x + 4, AXIS / 2);
  }
}

function drawEpisode(context: CanvasRenderingContext2D, scene: Scene, row: number, episode: EpisodeTrack): void {
  const { layout, colouring, colours, tasks, marked } = scene;
  const left = xOf(layout, episode.start);
  const right = Math.max(xOf(layout, episode.end), left + 2);
  if (right < layout.left || left > layout.width) return;
  const [top, height] = barOf(layout, row);
  context.globalAlpha = tasks.has(episode.task) ? 1 : 0.16;
  const fill = colours[VERDICTS[episode.verdict].fill] ?? "";
  context.fillStyle = colours["--quiet-soft"] ?? "";
  context.fillRect(left, top, right - left, height);
  const wide = (right - left) / Math.max(1, episode.steps.length);
  if (colouring === "ending" || wide < 2) {
    context.fillStyle = fill;
    context.fillRect(left, top, Math.max(2, right - left - 1), height);
    if (colouring === "ending" && wide > 6) drawSeams(context, scene, episode, top, height);
  } else if (colouring === "stage" && wide < NARROW) {
    drawShares(context, scene, episode, left, right, top, height);
  } else {
    for (const step of episode.steps) drawStep(context, scene, step, top, height);
  }
  if (colouring !== "ending") {
    // What became of the task stands below its steps.
    context.fillStyle = fill;
    context.fillRect(left, top + height, Math.max(2, right - left - 1), 3);
  }
  if (marked?.episode === episode) drawMark(context, scene, marked.step, left, right, top, height);
  context.globalAlpha = 1;
}

/** Draw which share of an episode's time each stage took, as bands above each other. */
function drawShares(
  context: CanvasRenderingContext2D,
  { layout, colours }: Scene,
  episode: EpisodeTrack,
  left: number,
  right: number,
  top: number,
  height: number,
): void {
  let y = top;
  for (const [stage, share] of sharesOf(episode)) {
    context.fillStyle = colours[stageFill(stage)] ?? "";
    context.fillRect(left, y, Math.max(2, right - left - 1), share * height + 0.3);
    y += share * height;
  }
  context.fillStyle = colours["--surface"] ?? "";
  if ((right - left) / Math.max(1, episode.steps.length) < 4) return;
  for (const step of episode.steps.slice(1)) context.fillRect(xOf(layout, step.start) - 0.5, top, 0.5, height);
}

function sharesOf(episode: EpisodeTrack): readonly (readonly [stage: string, share: number])[] {
  let found = shares.get(episode);
  if (!found) {
    const sums = new Map<string, number>();
    for (const step of episode.steps) {
      for (const [stage, start, end] of step.stages) sums.set(stage, (sums.get(stage) ?? 0) + end - start);
    }
    const all = [...sums.values()].reduce((sum, one) => sum + one, 0) || 1;
    found = [...sums].map(([stage, sum]) => [stage, sum / all] as const);
    shares.set(episode, found);
  }
  return found;
}

function drawStep(context: CanvasRenderingContext2D, scene: Scene, step: StepMark, top: number, height: number): void {
  const { layout, colouring, colours } = scene;
  const left = xOf(layout, step.start);
  const right = xOf(layout, step.end);
  if (right < layout.left || left > layout.width) return;
  if (colouring === "verdict") {
    context.fillStyle = colours[VERDICT_FILLS[step.outcome ?? ""] ?? "--stage-other"] ?? "";
    context.fillRect(left, top, Math.max(1, right - left - 1), height);
    return;
  }
  const lanes = lanesOf(step, right - left > 60);
  const lane = height / lanes.count;
  step.stages.forEach(([stage, start, end], at) => {
    const x = xOf(layout, start);
    context.fillStyle = colours[stageFill(stage)] ?? "";
    context.fillRect(x, top + (lanes.of[at] ?? 0) * lane, Math.max(0.7, xOf(layout, end) - x), lane);
  });
  if (right - left > 8) {
    context.fillStyle = colours["--surface"] ?? "";
    context.fillRect(left - 0.5, top, 1, height);
  }
}

/** Return a lane for each stage: stages that overlap in time stand below each other where there is room. */
function lanesOf(step: StepMark, isWide: boolean): { count: number; of: readonly number[] } {
  if (!isWide) return { count: 1, of: step.stages.map(() => 0) };
  const ends: number[] = [];
  const of = step.stages.map(([, start, end]) => {
    let lane = ends.findIndex((one) => one <= start + 1e-3);
    if (lane < 0) lane = ends.length < 3 ? ends.length : 2;
    ends[lane] = end;
    return lane;
  });
  return { count: Math.max(1, ends.length), of };
}

function drawSeams(context: CanvasRenderingContext2D, scene: Scene, episode: EpisodeTrack, top: number, height: number): void {
  context.fillStyle = scene.colours["--surface"] ?? "";
  for (const step of episode.steps.slice(1)) context.fillRect(xOf(scene.layout, step.start) - 0.5, top, 1, height);
}

function drawMark(
  context: CanvasRenderingContext2D,
  { layout, colours }: Scene,
  step: StepMark | null,
  left: number,
  right: number,
  top: number,
  height: number,
): void {
  context.globalAlpha = 1;
  context.strokeStyle = colours["--edge"] ?? "";
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 1.5, right - left + 1, height + 4);
  if (!step) return;
  const x = xOf(layout, step.start);
  context.strokeStyle = colours["--text"] ?? "";
  context.lineWidth = 2;
  context.strokeRect(x, top - 1, Math.max(3, xOf(layout, step.end) - x), height + 2);
}

function drawOutages(context: CanvasRenderingContext2D, { layout, events, colours }: Scene): void {
  context.fillStyle = colours["--warn-soft"] ?? "";
  for (const event of events) {
    if (event.phone || event.end == null) continue;
    const x = Math.max(layout.left, xOf(layout, event.at));
    const right = Math.min(layout.width, xOf(layout, event.end));
    if (right > x) context.fillRect(x, AXIS, right - x, layout.height - AXIS);
  }
}

function drawEvents(context: CanvasRenderingContext2D, scene: Scene): void {
  const { layout, events, phones, colours } = scene;
  const rows = new Map(phones.map((track, row) => [track.phone, row]));
  for (const event of events) {
    if (isHold(event)) continue;
    const x = xOf(layout, event.at);
    if (x < layout.left - 6 || x > layout.width + 6) continue;
    context.fillStyle = colours[event.kind === "resumed" ? "--accent" : "--bad"] ?? "";
    const row = rows.get(event.phone);
    if (row === undefined) {
      context.fillRect(x - 0.5, AXIS, 1, layout.height - AXIS);
      drawFlag(context, x, AXIS);
    } else {
      const [top, height] = barOf(layout, row);
      context.fillRect(x - 0.5, top - 3, 1.5, height + 6);
      drawFlag(context, x, top - 4);
    }
  }
}

/** Return whether a person held an episode. */
export function isHold(event: TimelineEvent): boolean {
  return event.kind === "paused" || event.kind === "taken_over";
}

/** Draw pauses and takeovers as lines above the steps of their phone, with a sign at the beginning. */
function drawHolds(context: CanvasRenderingContext2D, { layout, events, phones, colours }: Scene): void {
  const rows = new Map(phones.map((track, row) => [track.phone, row]));
  for (const event of events) {
    const row = isHold(event) ? rows.get(event.phone) : undefined;
    if (row === undefined) continue;
    const x = xOf(layout, event.at);
    const right = Math.max(x + 3, xOf(layout, event.end ?? event.at));
    if (right < layout.left || x > layout.width) continue;
    const [top] = barOf(layout, row);
    context.fillStyle = colours[HOLD_FILLS[event.kind] ?? ""] ?? "";
    context.fillRect(x, top - 3.5, right - x, 3);
    if (event.kind === "paused") {
      context.fillRect(x, top - 3.5, 2.5, 9);
      context.fillRect(x + 4, top - 3.5, 2.5, 9);
    } else {
      context.beginPath();
      context.arc(x + 3, top + 1, 4.5, 0, 2 * Math.PI);
      context.fill();
    }
  }
}

function drawFlag(context: CanvasRenderingContext2D, x: number, y: number): void {
  context.beginPath();
  context.moveTo(x - 4.5, y);
  context.lineTo(x + 4.5, y);
  context.lineTo(x, y + 7);
  context.closePath();
  context.fill();
}

function drawNames(context: CanvasRenderingContext2D, scene: Scene, first: number, last: number): void {
  const { layout, phones, colours, marked } = scene;
  context.fillStyle = colours["--surface"] ?? "";
  context.fillRect(0, AXIS, layout.left, layout.height - AXIS);
  context.textAlign = "left";
  for (let row = first; row < last; row += 1) {
    const track = phones[row];
    if (!track) continue;
    const [top, height] = barOf(layout, row);
    context.fillStyle = colours[marked?.track === track ? "--text" : "--text-2"] ?? "";
    context.fillText(shorten(context, track.phone || "no phone", layout.left - 20), 12, top + height / 2 + 1);
  }
  context.fillStyle = colours["--hairline"] ?? "";
  context.fillRect(layout.left - 1, AXIS, 1, layout.height - AXIS);
}

function shorten(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let end = Math.min(text.length, 40);
  // The end of a serial says more than its beginning.
  while (end > 1 && context.measureText(`\u2026${text.slice(-end)}`).width > width) end -= 1;
  return `\u2026${text.slice(-end)}`;
}
