/** How the run was made: models, versions, what stood in for real parts, and every setting. */
import "./facts.css";
import type { ComponentChildren, JSX } from "preact";
import { CopyButton } from "../../components/CopyButton";
import type { RunReport } from "../../api/schema";

type Fact = readonly [name: string, value: string];

/** Show the facts of a run. */
export function RunFacts({ report }: { report: RunReport }): JSX.Element {
  const { summary } = report;
  const about: Fact[] = [
    ["Run", report.run],
    ["Profile", summary.profile],
    ["Schedule", summary.schedule],
    ["Models", summary.model_source],
    ["Phones", summary.phones_source],
    ["Perception", summary.perception_source],
  ];
  const models = Object.entries(summary.models ?? {}).map(([role, asked]): Fact => [
    role,
    `${asked.model} at ${asked.servers.join(", ")}; ${asked.dialect}, ${asked.output}, temperature ${asked.temperature}, at most ${asked.max_tokens} tokens`,
  ]);
  const settings = flatten(summary.settings);
  return (
    <div class="facts">
      <Facts title="About" facts={about.filter(([, value]) => value)} />
      <Facts title="Models by role" facts={models} />
      <Facts title="Versions" facts={Object.entries(summary.versions ?? {})} />
      <Facts title="Phones left out" facts={Object.entries(summary.phones_left_out ?? {})} />
      <Facts title="Settings" facts={settings} isMono />
    </div>
  );
}

function Facts({ title, facts, isMono }: { title: string; facts: readonly Fact[]; isMono?: boolean }): JSX.Element | null {
  if (!facts.length) return null;
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        <CopyButton label={`Copy: ${title}`} text={() => facts.map(([name, value]) => `${name}: ${value}`).join("\n")} />
      </header>
      <dl class={`facts-list${isMono ? " mono" : ""}`}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt class="said">{breakable(name)}</dt>
            <dd class="said">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Let a long name break after its dots, and not within a word. */
function breakable(name: string): ComponentChildren {
  return name.split(/(?<=\.)/).flatMap((part, place) => (place ? [<wbr key={place} />, part] : [part]));
}

/** Return nested settings as lines: `episode.limits.max_steps` and its value. */
export function flatten(settings: unknown, name = ""): Fact[] {
  if (settings === null || typeof settings !== "object") return [[name, String(settings)]];
  if (Array.isArray(settings)) {
    return settings.every((one) => one === null || typeof one !== "object")
      ? [[name, settings.join(", ") || "none"]]
      : settings.flatMap((one, at) => flatten(one, `${name}[${at}]`));
  }
  return Object.entries(settings).flatMap(([key, value]) => flatten(value, name ? `${name}.${key}` : key));
}
