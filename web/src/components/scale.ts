/** Turn values into places of a plot. */

/** A place in pixels; null where the line breaks. */
export type Point = readonly [number, number] | null;

/** Return the path of a line through points. */
export function drawLine(points: readonly Point[]): string {
  let path = "";
  let isDown = false;
  for (const point of points) {
    path += point ? `${isDown ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}` : "";
    isDown = point !== null;
  }
  return path;
}

/** Return round numbers from 0 to `top` or a little beyond, at most five. */
export function niceTicks(top: number): number[] {
  if (!(top > 0)) return [0, 1];
  const rough = top / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10);
  const count = Math.ceil(top / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, at) => Number((at * step).toPrecision(12)));
}

/** The steps of an axis of time, in seconds. */
const TIME_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400];

/** Return round times from `start` to `end` in seconds, at most `most` of them. */
export function timeTicks(start: number, end: number, most: number): number[] {
  const step = TIME_STEPS.find((one) => (end - start) / one <= most) ?? Math.ceil((end - start) / most / 86400) * 86400;
  const first = Math.ceil(start / step);
  return Array.from({ length: Math.max(0, Math.floor(end / step) - first + 1) }, (_, at) => (first + at) * step);
}
