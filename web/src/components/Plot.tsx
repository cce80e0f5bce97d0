/** Small plots of values over time, in SVG: a sparkline in a row, and a plot with axes. */
import "./plot.css";
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { NONE } from "../state/format";
import { drawLine, niceTicks, type Point } from "./scale";

/** Show values as a line without axes. `label` says in words what it shows. */
export function Sparkline(props: { values: readonly number[]; label: string; width?: number; height?: number }): JSX.Element {
  const { values, width = 96, height = 24 } = props;
  const top = Math.max(...values, 0) || 1;
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  const points = values.map((value, at): Point => [1 + at * step, height - 2 - (value / top) * (height - 4)]);
  return (
    <svg class="sparkline" role="img" aria-label={props.label} width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
      <path d={drawLine(points)} />
    </svg>
  );
}

export interface Series {
  readonly name: string;
  /** A variable of the design, such as `--accent`. */
  readonly colour: string;
  /** Times and values, the oldest first. A null breaks the line. */
  readonly points: readonly (readonly [number, number | null])[];
}

export interface PlotProps {
  /** What the plot shows: its heading for screen readers. */
  readonly label: string;
  readonly series: readonly Series[];
  readonly height?: number;
  /** Write a value with its unit. */
  readonly formatValue: (value: number) => string;
  /** Write a place on the horizontal axis. */
  readonly formatAt: (at: number) => string;
}

const LEFT = 52;
const BOTTOM = 20;

/** Show lines over time. The pointer or the arrow keys read single values. */
export function Plot(props: PlotProps): JSX.Element {
  const { series, height = 140, formatValue, formatAt } = props;
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(400);
  const [at, setAt] = useState<number | null>(null);
  useLayoutEffect(() => {
    const size = new ResizeObserver(([entry]) => entry && setWidth(Math.max(160, entry.contentRect.width)));
    if (holder.current) size.observe(holder.current);
    return () => size.disconnect();
  }, []);
  const times = [...new Set(series.flatMap((one) => one.points.map(([time]) => time)))].sort((a, b) => a - b);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 1;
  const ticks = niceTicks(Math.max(0, ...series.flatMap((one) => one.points.map(([, value]) => value ?? 0))));
  const top = ticks.at(-1) || 1;
  const x = (time: number): number => LEFT + ((time - first) / (last - first || 1)) * (width - LEFT - 4);
  const y = (value: number): number => 6 + (1 - value / top) * (height - BOTTOM - 10);
  const nearest = (left: number): void => {
    const time = first + ((left - LEFT) / (width - LEFT - 4)) * (last - first);
    let best = 0;
    times.forEach((one, index) => {
      if (Math.abs(one - time) < Math.abs((times[best] ?? 0) - time)) best = index;
    });
    setAt(times.length ? best : null);
  };
  const press = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by || !times.length) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(Math.min(times.length - 1, Math.max(0, (at ?? times.length) + by)));
  };
  const time = at === null ? undefined : times[at];
  const now = time ?? times.at(-1);
  return (
    <figure class="plot" ref={holder}>
      <figcaption class="plot-legend">
        {series.map((one) => {
          const value = one.points.find(([when]) => when === now)?.[1];
          return (
            <span key={one.name}>
              <i style={{ background: `var(${one.colour})` }} />
              {one.name} <b>{value == null ? NONE : formatValue(value)}</b>
            </span>
          );
        })}
        {time !== undefined && <span class="faint plot-at">{formatAt(time)}</span>}
      </figcaption>
      <svg
        width={width}
        height={height}
        role="img"
        aria-label={props.label}
        tabIndex={0}
        onPointerMove={(event) => nearest(event.offsetX)}
        onPointerLeave={() => setAt(null)}
        onKeyDown={press}
        onBlur={() => setAt(null)}
      >
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="plot-grid" x1={LEFT} x2={width - 4} y1={y(tick)} y2={y(tick)} />
            <text class="plot-tick" x={LEFT - 8} y={y(tick) + 4} text-anchor="end">
              {formatValue(tick)}
            </text>
          </g>
        ))}
        {times.length > 1 && (
          <>
            <text class="plot-tick" x={LEFT} y={height - 4}>
              {formatAt(first)}
            </text>
            <text class="plot-tick" x={width - 4} y={height - 4} text-anchor="end">
              {formatAt(last)}
            </text>
          </>
        )}
        {series.map((one) => (
          <path
            key={one.name}
            class="plot-line"
            style={{ stroke: `var(${one.colour})` }}
            d={drawLine(one.points.map(([when, value]): Point => (value === null ? null : [x(when), y(value)])))}
          />
        ))}
        {time !== undefined && <line class="plot-cursor" x1={x(time)} x2={x(time)} y1={4} y2={height - BOTTOM} />}
      </svg>
    </figure>
  );
}
