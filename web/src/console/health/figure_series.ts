/** Makes the lines of the plots out of the service's figures. Pure. */

import type { Series } from "../../components/Plot";
import type { FigurePoint, FigureRole } from "../data/types";

const COLOURS = ["--accent", "--stage-perceive", "--stage-act", "--stage-verify", "--stage-note", "--quiet-fill"] as const;

/** Returns one line for each name, with the sum of its values at each point. */
function linesOf<Item>(
  points: readonly FigurePoint[],
  itemsOf: (point: FigurePoint) => readonly Item[],
  nameOf: (item: Item) => string,
  valueOf: (item: Item) => number | null,
): readonly Series[] {
  const names = [...new Set(points.flatMap((point) => itemsOf(point).map(nameOf)))].sort();
  return names.map((name, number) => ({
    name,
    colour: COLOURS[number % COLOURS.length] ?? "--accent",
    points: points.map((point) => [point.at, sumOf(itemsOf(point).filter((item) => nameOf(item) === name).map(valueOf))] as const),
  }));
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

export function oneLine(
  name: string,
  points: readonly FigurePoint[],
  valueOf: (point: FigurePoint) => number | null,
  colour = "--accent",
): Series {
  return { name, colour, points: points.map((point) => [point.at, valueOf(point)] as const) };
}

const tokens = (role: FigureRole): number => role.input_tokens_per_min + role.output_tokens_per_min;

export function tokensByRole(points: readonly FigurePoint[]): readonly Series[] {
  return linesOf(points, (point) => point.roles, (role) => role.role, tokens);
}

export function tokensByServer(points: readonly FigurePoint[]): readonly Series[] {
  return linesOf(points, (point) => point.roles, (role) => shortServer(role.server), tokens);
}

/** Returns the share of input tokens that the servers' caches had, over all roles. */
export function cacheShare(points: readonly FigurePoint[]): Series {
  return oneLine("of input tokens", points, (point) => {
    const known = point.roles.filter((role) => role.cached_share !== null && role.input_tokens_per_min > 0);
    const all = known.reduce((sum, role) => sum + role.input_tokens_per_min, 0);
    return all === 0 ? null : known.reduce((sum, role) => sum + role.input_tokens_per_min * (role.cached_share ?? 0), 0) / all;
  });
}

/** Returns the mean latency of the calls of each role in milliseconds. */
export function latencyByRole(points: readonly FigurePoint[]): readonly Series[] {
  return linesOf(points, (point) => point.roles.filter((role) => role.latency_ms !== null), (role) => role.role, (role) => role.latency_ms);
}

export function errorsByRole(points: readonly FigurePoint[]): readonly Series[] {
  return linesOf(points, (point) => point.roles, (role) => role.role, (role) => role.errors_per_min);
}

export function modelLoad(points: readonly FigurePoint[]): readonly Series[] {
  const sum = (point: FigurePoint, name: "in_flight" | "waiting"): number =>
    point.models.reduce((total, model) => total + model[name], 0);
  return [
    oneLine("in flight", points, (point) => sum(point, "in_flight")),
    oneLine("waiting", points, (point) => sum(point, "waiting"), "--stage-act"),
  ];
}

export function perceptionLoad(points: readonly FigurePoint[]): readonly Series[] {
  return [
    oneLine("reading", points, (point) => point.perception?.reading ?? null, "--stage-perceive"),
    oneLine("waiting", points, (point) => point.perception?.waiting ?? null, "--stage-act"),
    oneLine("workers", points, (point) => point.perception?.workers ?? null, "--quiet-fill"),
  ];
}

/** `http://10.0.0.8:8000/v1` is `10.0.0.8:8000`. */
export function shortServer(server: string): string {
  return server.replace(/^https?:\/\//, "").replace(/\/v1\/?$/, "") || "no server";
}
