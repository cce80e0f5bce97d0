/** The servers and the models as they are now. */

import type { JSX } from "preact";
import { Badge } from "../../components/Badge";
import { formatCount, formatShare, NONE } from "../../state/format";
import { get } from "../data/requests";
import { useResource } from "../data/resource";
import type { FigurePoint, FigureServer, ModelStatus } from "../data/types";
import { ProblemNote } from "../shared/ProblemNote";
import { shortServer } from "./figure_series";

const GOOD_STATES = new Set(["up", "healthy", "closed", "ok", "ready"]);

export function ServerTable({ servers }: { servers: readonly FigureServer[] }): JSX.Element | null {
  if (servers.length === 0) return null;
  return (
    <section class="health-section">
      <h2>Servers</h2>
      <div class="health-scroll panel" tabIndex={0} role="region" aria-label="Servers">
        <table class="health-table">
          <thead>
            <tr>
              <th scope="col">Server</th>
              <th scope="col">State</th>
              <th scope="col" class="num">
                In flight
              </th>
              <th scope="col" class="num">
                Running there
              </th>
              <th scope="col" class="num">
                Waiting there
              </th>
              <th scope="col" class="num">
                Its cache is full
              </th>
            </tr>
          </thead>
          <tbody>
            {servers.map((server) => (
              <tr key={server.server}>
                <td class="mono said">{shortServer(server.server)}</td>
                <td>
                  <Badge tone={GOOD_STATES.has(server.state) ? "good" : "warn"} icon={GOOD_STATES.has(server.state) ? "check" : "warning"}>
                    {server.state}
                  </Badge>
                </td>
                <td class="num">{formatCount(server.in_flight)}</td>
                <td class="num">{formatCount(server.running)}</td>
                <td class="num">{formatCount(server.waiting)}</td>
                <td class="num">{formatShare(server.cache_usage)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

export function ModelTable({ newest }: { newest: FigurePoint | null }): JSX.Element {
  const models = useResource<readonly ModelStatus[]>({ load: (signal) => get("/models", {}, signal), pollMs: 10_000 }, []);
  return (
    <section class="health-section">
      <h2>Models</h2>
      {models.problem.value && <ProblemNote problem={models.problem.value} />}
      {models.value.value?.length === 0 && <p class="quiet">No model yet: the fleet is being opened.</p>}
      {models.value.value && models.value.value.length > 0 && (
        <div class="health-scroll panel" tabIndex={0} role="region" aria-label="Models">
          <table class="health-table">
            <thead>
              <tr>
                <th scope="col">Role</th>
                <th scope="col">Model</th>
                <th scope="col">Servers</th>
                <th scope="col" class="num">
                  Calls
                </th>
                <th scope="col" class="num">
                  Failed
                </th>
                <th scope="col" class="num">
                  In flight, of at most
                </th>
              </tr>
            </thead>
            <tbody>
              {models.value.value.map((model) => {
                const load = newest?.models.find((one) => one.role === model.role);
                return (
                  <tr key={model.role}>
                    <td>{model.role}</td>
                    <td class="said">{model.model}</td>
                    <td class="mono said">{model.servers.map(shortServer).join(", ")}</td>
                    <td class="num">{formatCount(model.calls ?? 0)}</td>
                    <td class="num">{formatCount(model.failures ?? 0)}</td>
                    <td class="num">
                      {load ? `${formatCount(load.in_flight)} / ${load.cap == null ? NONE : formatCount(load.cap)}` : NONE}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
