/** Cost and health over the last hour: steps, tokens, cache, queues, perception; models and servers as they are now. */

import "./health.css";
import { useRef } from "preact/hooks";
import type { JSX } from "preact";
import { EmptyState } from "../../components/EmptyState";
import { Plot, type Series } from "../../components/Plot";
import { formatClock, formatCount, formatLarge, formatNumber, formatSeconds, formatShare, formatTime } from "../../state/format";
import { get } from "../data/requests";
import { useResource } from "../data/resource";
import type { FigurePoint, FigureSeries, ServiceStatus } from "../data/types";
import { Facts } from "../shared/Facts";
import { PageHead } from "../shared/PageHead";
import { ProblemNote } from "../shared/ProblemNote";
import {
  cacheShare,
  errorsByRole,
  latencyByRole,
  modelLoad,
  oneLine,
  perceptionLoad,
  tokensByRole,
  tokensByServer,
} from "./figure_series";
import { ModelTable, ServerTable } from "./ModelTables";

const HOUR_S = 3600;

/** Loads the last hour, and later only the points that are new. */
async function loadPoints(known: FigureSeries | null, signal: AbortSignal): Promise<FigureSeries> {
  const last = known?.points.at(-1)?.at;
  const loaded = await get<FigureSeries>("/figures", { after: last }, signal);
  const newest = loaded.points.at(-1)?.at ?? last ?? 0;
  const kept = (known?.points ?? []).filter((point) => point.at > newest - HOUR_S && point.at < (loaded.points[0]?.at ?? Infinity));
  return { ...loaded, points: [...kept, ...loaded.points] };
}

export function HealthPage(): JSX.Element {
  const known = useRef<FigureSeries | null>(null);
  const figures = useResource<FigureSeries>(
    { load: async (signal) => (known.current = await loadPoints(known.current, signal)), pollMs: 10_000, everyMs: 5000 },
    [],
  );
  const status = useResource<ServiceStatus>({ load: (signal) => get("/status", {}, signal), pollMs: 10_000 }, []);
  const points = figures.value.value?.points ?? [];
  return (
    <>
      <PageHead title="Health" about="What the fleet does and costs, over the last hour" />
      {figures.problem.value && <ProblemNote problem={figures.problem.value} />}
      {status.value.value && <ServiceFacts status={status.value.value} newest={points.at(-1) ?? null} />}
      {figures.value.value !== null && points.length < 2 ? (
        <EmptyState icon="chart" title="The first figures come within some seconds">
          The service keeps one point every {formatSeconds(figures.value.value.every_s)}, for an hour.
        </EmptyState>
      ) : (
        <Plots points={points} />
      )}
      {points.length > 0 && <ServerTable servers={points.at(-1)?.servers ?? []} />}
      <ModelTable newest={points.at(-1) ?? null} />
    </>
  );
}

function ServiceFacts({ status, newest }: { status: ServiceStatus; newest: FigurePoint | null }): JSX.Element {
  return (
    <Facts
      facts={[
        ["Steps a minute", newest && formatNumber(newest.steps_per_min)],
        ["Running", formatCount(status.running)],
        ["Waiting", formatCount(status.waiting)],
        ["Ended", formatCount(status.ended)],
        ["Phones", formatCount(status.phones)],
        ["Started", formatTime(status.started_at)],
        ["Version", status.version],
      ]}
    />
  );
}

function Plots({ points }: { points: readonly FigurePoint[] }): JSX.Element | null {
  if (points.length < 2) return null;
  const tasks = [
    oneLine("running", points, (point) => point.episodes),
    oneLine("waiting", points, (point) => point.waiting, "--quiet-fill"),
  ];
  const milliseconds = (value: number): string => formatSeconds(value / 1000);
  return (
    <div class="plots">
      <PlotCard title="Steps a minute" series={[oneLine("all phones", points, (point) => point.steps_per_min)]} format={formatNumber} />
      <PlotCard title="Tokens a minute, by role" series={tokensByRole(points)} format={formatLarge} />
      <PlotCard title="Tokens a minute, by server" series={tokensByServer(points)} format={formatLarge} />
      <PlotCard title="Input tokens that were cached" series={[cacheShare(points)]} format={formatShare} />
      <PlotCard title="Model calls" series={modelLoad(points)} format={formatNumber} />
      <PlotCard title="Latency of a call, by role" series={latencyByRole(points)} format={milliseconds} />
      <PlotCard title="Failed calls a minute, by role" series={errorsByRole(points)} format={formatNumber} />
      <PlotCard title="Perception" series={perceptionLoad(points)} format={formatNumber} />
      <PlotCard title="Tasks" series={tasks} format={formatNumber} />
    </div>
  );
}

function PlotCard(props: { title: string; series: readonly Series[]; format: (value: number) => string }): JSX.Element {
  return (
    <section class="plot-card panel">
      <h2>{props.title}</h2>
      <Plot label={`${props.title}, the last hour`} series={props.series} formatValue={props.format} formatAt={formatClock} height={132} />
    </section>
  );
}
