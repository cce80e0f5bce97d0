/** One phone on the wall: its screen, its task, the stages that run now, its health. */

import "./tile.css";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import type { PhonePhase, WallPhone } from "../data/types";
import { findPhone } from "../data/wall_store";
import { choice } from "../../state/address";
import { LivePicture } from "../phone/LivePicture";
import { places } from "../shell/routes";
import { Battery } from "./Battery";
import { RunningStages } from "./RunningStages";
import { selection, toggleSelected } from "./SelectionBar";
import type { WallSize } from "./fleet_view";

export const PHASE_WORDS: Readonly<Record<PhonePhase, string>> = {
  busy: "busy",
  free: "free",
  reserved: "reserved",
  aside: "set aside",
  away: "away",
};

/** After how long a free phone on the wall is asked for its screen again. */
const IDLE_EVERY_MS = 5000;
/** How many characters at the end of a serial are always seen: they tell phones apart better than its beginning. */
const TAIL = 8;

export function PhoneTile({ serial, size }: { serial: string; size: WallSize }): JSX.Element | null {
  const phone = findPhone(serial)?.value;
  if (phone === undefined) return null;
  const kind = `tile tile-${size} tile-${phone.phase}`;
  const selected = selection.value;
  if (selected !== null) {
    return (
      <button type="button" class={`${kind} tile-button`} aria-pressed={selected.has(serial)} onClick={() => toggleSelected(serial)}>
        <TileBody phone={phone} size={size} />
      </button>
    );
  }
  return (
    <a class={kind} href={places.phone(serial)}>
      <TileBody phone={phone} size={size} />
    </a>
  );
}

/** What people call a phone: its label `name`, or its serial. */
export function nameOf(phone: WallPhone): string {
  return phone.labels?.["name"] || phone.serial;
}

function TileBody({ phone, size }: { phone: WallPhone; size: WallSize }): JSX.Element {
  const name = nameOf(phone);
  return (
    <>
      <Screen phone={phone} size={size} />
      <div class="tile-body">
        <div class="tile-head">
          <PhaseDot phase={phone.phase} />
          {size === "s" && name === phone.serial ? (
            <ShortSerial serial={name} />
          ) : (
            <span class={`tile-serial clip${name === phone.serial ? " mono" : " tile-name"}`} title={phone.serial}>
              {name}
            </span>
          )}
          {size !== "s" && <Battery percent={phone.battery ?? null} celsius={phone.celsius ?? null} />}
        </div>
        {size === "s" ? <SmallWords phone={phone} /> : <Words phone={phone} isLarge={size === "l"} />}
      </div>
    </>
  );
}

/** A serial whose beginning is cut where there is no room for all of it. */
function ShortSerial({ serial }: { serial: string }): JSX.Element {
  const letters = [...serial];
  return (
    <span class="tile-serial tile-serial-short mono" title={serial}>
      <bdi class="clip">{letters.slice(0, -TAIL).join("")}</bdi>
      <bdi>{letters.slice(-TAIL).join("")}</bdi>
    </span>
  );
}

function Screen({ phone, size }: { phone: WallPhone; size: WallSize }): JSX.Element {
  const isIdle = phone.phase === "free" || phone.phase === "reserved";
  return (
    <div class="tile-screen">
      {isIdle && choice("idle") ? (
        <LivePicture serial={phone.serial} everyMs={IDLE_EVERY_MS} label="" size={size === "s" ? 16 : 20} />
      ) : phone.thumbnail ? (
        <img src={`data:image/jpeg;base64,${phone.thumbnail}`} alt="" decoding="async" draggable={false} />
      ) : (
        <Icon name="phone" size={20} />
      )}
      {phone.is_paused && (
        <span class="tile-taken" title={`${phone.held_by} has paused it`}>
          <Icon name="pause" size={12} label={`${phone.held_by} has paused it`} />
        </span>
      )}
      {phone.taken_over_by && (
        <span class="tile-taken" title={`${phone.taken_over_by} has taken over`}>
          <Icon name="hand" size={12} label={`${phone.taken_over_by} has taken over`} />
        </span>
      )}
    </div>
  );
}

/** The colour of a phase, with its word for those who do not see it. */
export function PhaseDot({ phase }: { phase: PhonePhase }): JSX.Element {
  return (
    <span class={`dot dot-${phase}`} title={PHASE_WORDS[phase]}>
      <span class="unseen">{PHASE_WORDS[phase]}</span>
    </span>
  );
}

function SmallWords({ phone }: { phone: WallPhone }): JSX.Element {
  if (phone.phase === "busy") return <Doing phone={phone} most={1} />;
  return <span class="tile-line clip">{PHASE_WORDS[phone.phase]}</span>;
}

/** The stages that run, or who holds the episode: meanwhile, no stage runs. */
export function Doing({ phone, most }: { phone: WallPhone; most: number }): JSX.Element {
  if (phone.question) return <span class="tile-line clip">asks: {phone.question}</span>;
  if (phone.is_paused) return <span class="tile-line clip">paused by {phone.held_by}</span>;
  if (phone.taken_over_by) return <span class="tile-line clip">{phone.taken_over_by} has the phone</span>;
  return <RunningStages stages={phone.stages ?? []} since={phone.stage_since ?? null} most={most} />;
}

function Words({ phone, isLarge }: { phone: WallPhone; isLarge: boolean }): JSX.Element {
  const model = phone.labels?.["model"];
  if (phone.phase !== "busy") {
    return (
      <>
        <span class="tile-goal tile-idle">{PHASE_WORDS[phone.phase]}</span>
        {phone.reason && <span class="tile-doing said">{phone.reason}</span>}
        <span class="tile-foot clip">{model}</span>
      </>
    );
  }
  return (
    <>
      <span class="tile-goal said">{phone.goal || phone.task}</span>
      <span class="tile-doing said">{phone.subgoal || phone.doing}</span>
      <Doing phone={phone} most={isLarge ? 4 : 2} />
      <span class="tile-foot clip">
        {phone.step != null && <>step {phone.step} · </>}
        {phone.owner && <>{phone.owner} · </>}
        {model}
      </span>
    </>
  );
}
