/** The model calls of a step: what each cost, and on demand what it sent and received. */
import "./callsPanel.css";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Badge } from "../components/Badge";
import { Button } from "../components/Button";
import { EmptyState } from "../components/EmptyState";
import { Icon } from "../components/icons";
import { formatLarge, formatSeconds, formatShare } from "../state/format";
import { choice, choose } from "../state/address";
import { LongText } from "./ChangedText";
import { CallView } from "./CallView";
import type { FilmSource } from "./filmSource";
import type { FilmState } from "./filmState";
import type { CallSummary, StepCalls } from "./types";

type Loaded = { step: number; calls: StepCalls | null; error: string };

/** Show the calls. */
export function CallsPanel({ film, source }: { film: FilmState; source: FilmSource }): JSX.Element {
  const { step } = film;
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [tries, setTries] = useState(0);
  const count = step.calls.length;
  useEffect(() => {
    if (!count) return undefined;
    let isWanted = true;
    source.loadCalls(step.step).then(
      (calls) => isWanted && setLoaded({ step: step.step, calls, error: "" }),
      (error: unknown) => isWanted && setLoaded({ step: step.step, calls: null, error: String(error instanceof Error ? error.message : error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [step.step, count, source, tries]);
  if (!count) {
    return <EmptyState icon="bolt" title="No model was asked">This step made no call of a model.</EmptyState>;
  }
  const here = loaded?.step === step.step ? loaded : null;
  const open = choice("call");
  return (
    <div class="calls">
      {here?.error && (
        <p class="calls-error" role="alert">
          The texts of the calls could not be loaded: <span class="said">{here.error}</span>{" "}
          <Button icon="retry" onClick={() => setTries(tries + 1)}>Try again</Button>
        </p>
      )}
      <ol class="call-list">
        {step.calls.map((call) => (
          <CallItem
            key={call.number}
            call={call}
            loaded={here}
            source={source}
            judges={call.role === "decide" && !call.is_repair && film.previous?.judged_by === "agent" ? film.previous.step : null}
            isOpen={open === String(call.number) || (open === "" && count === 1)}
          />
        ))}
      </ol>
    </div>
  );
}

interface CallItemProps {
  call: CallSummary;
  loaded: Loaded | null;
  source: FilmSource;
  /** The step before, if this call's reply also judges its action. */
  judges: number | null;
  isOpen: boolean;
}

function CallItem(props: CallItemProps): JSX.Element {
  const { call, judges, isOpen } = props;
  const content = props.loaded?.calls?.calls.find((one) => one.number === call.number);
  return (
    <li class={`call${call.is_dropped ? " call-dropped" : ""}`}>
      <button
        type="button"
        class="call-head"
        aria-expanded={isOpen}
        onClick={() => choose({ call: isOpen ? "none" : call.number })}
      >
        <Icon name={isOpen ? "down" : "right"} size={12} />
        <span class="call-role">{call.agent}</span>
        <span class="call-marks">
          {judges !== null && <Badge title={`The reply also judges the action of step ${judges}.`}>judges step {judges}</Badge>}
          {call.is_repair && <Badge tone="warn" title="The model was asked again because its answer was invalid.">repair</Badge>}
          {call.is_dropped && <Badge title="Its result was not used.">dropped</Badge>}
          {call.attempts > 1 && <Badge tone="warn">sent {call.attempts} times</Badge>}
          {call.error && <Badge tone="bad" icon="warning">failed</Badge>}
        </span>
        <span class="call-numbers">
          <CallNumber name="in" value={formatLarge(call.input_tokens)} />
          <CallNumber name="cached" value={formatShare(call.input_tokens ? call.cached_tokens / call.input_tokens : null)} />
          <CallNumber name="out" value={formatLarge(call.output_tokens)} />
          <CallNumber name="took" value={formatSeconds(call.latency_ms / 1000)} />
        </span>
      </button>
      {call.error && <LongText class="call-error">{call.error}</LongText>}
      {isOpen && (
        <div class="call-body">
          <p class="call-where faint">
            <bdi class="clip mono" title={call.model}>{call.model || "model unknown"}</bdi>
            <span>at</span>
            <bdi class="clip mono" title={call.server}>{call.server}</bdi>
            {call.queue_ms >= 1 && `after ${formatSeconds(call.queue_ms / 1000)} in our queue`}
          </p>
          {content ? (
            <CallView call={call} content={content} source={props.source} />
          ) : (
            <p class="quiet">{props.loaded ? "The request was not recorded." : "Loading…"}</p>
          )}
        </div>
      )}
    </li>
  );
}

function CallNumber({ name, value }: { name: string; value: string }): JSX.Element {
  return (
    <span class="call-number">
      <span class="faint">{name}</span> {value}
    </span>
  );
}
