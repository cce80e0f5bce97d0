/** The phone while a person has it: the person taps, presses, swipes and types on its picture. */
import "./phoneSurface.css";
import type { ComponentChildren, JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { LONG_PRESS_MS, type PersonAction, pointAt, type ScreenPoint, touchAction } from "./personAction";
import { PhoneButtons } from "./PhoneButtons";
import { type Typing, useTyping } from "./useTyping";

export interface PhoneSurfaceProps {
  /** The id of the latest screenshot; null while there is none. */
  readonly screen: string | null;
  /** Its address. */
  readonly picture: string | null;
  /** Its width and height in pixels. */
  readonly size: readonly [number, number];
  /** Whether a field of that screen may take what is typed: the phone has not said that none has the focus. */
  readonly hasField: boolean;
  /** Whether an action is under way: the next one has to wait. */
  readonly isBusy: boolean;
  /** Send an action, with the id of the screenshot that the person saw. Its places are pixels of it. Returns whether the phone did it. */
  readonly onAct: (action: PersonAction, seen: string) => Promise<boolean>;
  /** What went wrong with the last action. */
  readonly problem?: ComponentChildren;
  /** What came of it otherwise. */
  readonly result?: ComponentChildren;
}

const NO_FIELD = "No field has the focus: what you type goes nowhere. Tap a field first; Escape drops the text.";
const NO_FIELD_HAD = "No field had the focus: the text went nowhere. Tap a field first.";

interface Drag {
  readonly from: ScreenPoint;
  readonly to: ScreenPoint;
  readonly at: number;
  /** The screenshot that was drawn when the finger came down. */
  readonly seen: string;
}

/** Show the phone. */
export function PhoneSurface(props: PhoneSurfaceProps): JSX.Element {
  const { picture, size } = props;
  const [drag, setDrag] = useState<Drag | null>(null);
  const [cross, setCross] = useState<ScreenPoint | null>(null);
  const [drawn, setDrawn] = useState<string | null>(null);
  const [boxText, setBoxText] = useState("");
  const screen = useRef<HTMLDivElement>(null);
  // A browser shows the old picture until the new one has come. What a person does then would be meant for the old screen.
  const isBusy = props.isBusy || props.screen === null || drawn !== props.screen;
  const [isLost, setLost] = useState(false);
  const act = async (action: PersonAction, seen: string): Promise<boolean> => {
    const isVain = action.name === "Type" && !props.hasField;
    setLost(false);
    const isDone = await props.onAct(action, seen);
    setLost(isDone && isVain);
    return isDone;
  };
  const typing = useTyping(props.screen, isBusy, act);

  const point = (event: PointerEvent): ScreenPoint =>
    pointAt({ x: event.clientX, y: event.clientY }, (screen.current as HTMLElement).getBoundingClientRect(), size);
  const begin = (event: PointerEvent): void => {
    if (isBusy || props.screen === null || event.button) return;
    screen.current?.setPointerCapture(event.pointerId);
    const at = point(event);
    setCross(null);
    setDrag({ from: at, to: at, at: performance.now(), seen: props.screen });
  };
  const end = (event: PointerEvent): void => {
    if (!drag) return;
    setDrag(null);
    void typing.act(touchAction(drag.from, point(event), performance.now() - drag.at, size[0]), drag.seen);
  };
  const actNow = async (action: PersonAction): Promise<boolean> => props.screen !== null && (await typing.act(action, props.screen));
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    const done = pressKey(event, { cross, typing, size, isBusy, setCross, onAct: actNow });
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="phone" onFocusOut={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && typing.leave()}>
      <div class="shot-room phone-room">
        <div
          ref={screen}
          class={`shot phone-screen${isBusy ? " phone-busy" : ""}`}
          style={{ "--ratio": String(size[0] / size[1]) }}
          role="application"
          tabIndex={0}
          aria-label="The phone's screen. Arrow keys move a cross, Enter taps at it, Shift and Enter press long. Letters are typed."
          aria-busy={isBusy}
          onPointerDown={begin}
          onPointerMove={(event) => drag && setDrag({ ...drag, to: point(event) })}
          onPointerUp={end}
          onPointerCancel={() => setDrag(null)}
          onContextMenu={(event) => event.preventDefault()}
          onKeyDown={press}
        >
          {picture ? (
            <img
              class="shot-picture"
              src={picture}
              alt=""
              width={size[0]}
              height={size[1]}
              draggable={false}
              onLoad={() => setDrawn(props.screen)}
            />
          ) : (
            <div class="shot-missing">Waiting for the phone's screen</div>
          )}
          <svg class="shot-marks" viewBox={`0 0 ${size[0]} ${size[1]}`} preserveAspectRatio="none" aria-hidden="true">
            {drag && <DragMark drag={drag} unit={size[0] / 100} />}
            {cross && <CrossMark at={cross} unit={size[0] / 100} />}
          </svg>
          {typing.shown && (
            <p class="phone-typed">
              <Icon name="keyboard" size={14} /> <span class="said">{typing.shown}</span>
            </p>
          )}
          {isBusy && picture && <p class="phone-wait">{props.isBusy ? "The phone carries out the action…" : "The new screen is on its way…"}</p>}
        </div>
      </div>
      <div class="phone-result" role="status">
        {props.problem ? <p class="phone-problem">{props.problem}</p> : props.result && <p>{props.result}</p>}
        {typing.note && <p>{typing.note}</p>}
        {!props.hasField && (typing.shown || boxText) && <p class="phone-problem">{NO_FIELD}</p>}
        {isLost && !typing.shown && !boxText && <p class="phone-problem">{NO_FIELD_HAD}</p>}
      </div>
      <PhoneButtons
        size={size}
        text={boxText}
        setText={setBoxText}
        isBusy={isBusy}
        mayRefresh={!props.isBusy && props.screen !== null}
        onAct={actNow}
      />
    </div>
  );
}

interface KeyContext {
  readonly cross: ScreenPoint | null;
  readonly typing: Typing;
  readonly size: readonly [number, number];
  readonly isBusy: boolean;
  readonly setCross: (at: ScreenPoint | null) => void;
  readonly onAct: (action: PersonAction) => Promise<boolean>;
}

const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Carry out a key on the screen. Return whether it means something there. */
function pressKey(event: KeyboardEvent, now: KeyContext): boolean {
  const [width, height] = now.size;
  const move = MOVES[event.key];
  if (move) {
    const step = width * (event.shiftKey ? 0.005 : 0.03);
    const from = now.cross ?? { x: width / 2, y: height / 2 };
    const within = (at: number, most: number): number => Math.round(Math.min(most - 1, Math.max(0, at)));
    now.setCross({ x: within(from.x + move[0] * step, width), y: within(from.y + move[1] * step, height) });
    return true;
  }
  if (event.key === "Escape") {
    const isUsed = now.typing.typed !== "" || now.cross !== null;
    now.typing.edit("");
    now.setCross(null);
    return isUsed;
  }
  if (event.key === "Enter") {
    if (now.isBusy) return true;
    if (now.typing.typed) void now.typing.send();
    else if (now.cross) {
      void now.onAct(event.shiftKey ? { name: "Long_Press", ...now.cross, ms: 800 } : { name: "Tap", ...now.cross });
    } else void now.onAct({ name: "Enter" });
    return true;
  }
  if (event.key === "Backspace") {
    now.typing.edit([...now.typing.typed].slice(0, -1).join(""));
    return true;
  }
  if ([...event.key].length !== 1) return false;
  now.typing.edit(now.typing.typed + event.key);
  return true;
}

function DragMark({ drag, unit }: { drag: Drag; unit: number }): JSX.Element {
  const { from, to } = drag;
  const isMoved = Math.hypot(to.x - from.x, to.y - from.y) > 2 * unit;
  return (
    <g class="action action-person">
      {isMoved && <path class="action-case" d={`M${from.x} ${from.y}L${to.x} ${to.y}`} />}
      {isMoved && <path class="action-ring" d={`M${from.x} ${from.y}L${to.x} ${to.y}`} />}
      <circle class="action-case" cx={from.x} cy={from.y} r={4 * unit} />
      <circle class="action-ring" cx={from.x} cy={from.y} r={4 * unit} />
      {!isMoved && (
        <circle class="phone-hold" cx={from.x} cy={from.y} r={6.5 * unit} pathLength={100} style={{ animationDuration: `${LONG_PRESS_MS}ms` }} />
      )}
    </g>
  );
}

function CrossMark({ at, unit }: { at: ScreenPoint; unit: number }): JSX.Element {
  const lines = `M${at.x - 6 * unit} ${at.y}h${12 * unit}M${at.x} ${at.y - 6 * unit}v${12 * unit}`;
  return (
    <g class="action action-person">
      <path class="action-case" d={lines} />
      <path class="action-ring" d={lines} />
    </g>
  );
}
