/** The action of a step, drawn where it went: a tap's ring, a swipe's path, what was typed, the key that was pressed. */
import "./actionMarks.css";
import type { JSX } from "preact";
import { Icon } from "../components/icons";
import { actionChip } from "./actionWords";
import { isSwipe } from "./tapWords";
import type { Step, Touch } from "./types";

/** Draw the touches of a step, as elements of an SVG in pixels of the screenshot. */
export function ActionMarks({ step, width }: { step: Step; width: number }): JSX.Element {
  const unit = width / 100;
  const many = step.touches.length > 1;
  return (
    <g class={`action ${step.by_person ? "action-person" : ""}`} key={step.step}>
      {step.touches.map((touch, index) => (
        <g key={index}>
          {isSwipe(touch) ? <SwipePath touch={touch} unit={unit} /> : <TapRing step={step} touch={touch} unit={unit} />}
          {many && <OrderNumber touch={touch} unit={unit} number={index + 1} />}
        </g>
      ))}
    </g>
  );
}

function TapRing({ step, touch, unit }: { step: Step; touch: Touch; unit: number }): JSX.Element {
  const at = { cx: touch.x1, cy: touch.y1 };
  return (
    <>
      <circle class="action-pulse" {...at} r={4.2 * unit} />
      <circle class="action-case" {...at} r={4.2 * unit} />
      <circle class="action-ring" {...at} r={4.2 * unit} />
      {step.action_kind === "Long_Press" && <circle class="action-ring" {...at} r={6.4 * unit} />}
      <circle class="action-dot" {...at} r={1.3 * unit} />
    </>
  );
}

function SwipePath({ touch, unit }: { touch: Touch; unit: number }): JSX.Element {
  const { x1, y1, x2, y2 } = touch;
  const along = Math.atan2(y2 - y1, x2 - x1);
  const wing = (turn: number): string => {
    const angle = along + Math.PI - turn;
    return `${x2 + Math.cos(angle) * 6 * unit} ${y2 + Math.sin(angle) * 6 * unit}`;
  };
  const line = `M${x1} ${y1}L${x2} ${y2}`;
  const head = `M${wing(0.5)}L${x2} ${y2}L${wing(-0.5)}`;
  return (
    <>
      <path class="action-case" d={line} />
      <path class="action-case" d={head} />
      <path class="action-ring" d={line} />
      <path class="action-ring" d={head} />
      <path class="action-flow" d={line} pathLength={100} />
      <circle class="action-case" cx={x1} cy={y1} r={2.6 * unit} />
      <circle class="action-start" cx={x1} cy={y1} r={2.6 * unit} />
    </>
  );
}

function OrderNumber({ touch, unit, number }: { touch: Touch; unit: number; number: number }): JSX.Element {
  return (
    <text class="action-number" x={touch.x1 + 5 * unit} y={touch.y1 - 4 * unit} font-size={5 * unit}>
      {number}
    </text>
  );
}

/** Show what was typed, and a key or an action without a place, at the foot of the screen. */
export function ActionCaption({ step }: { step: Step }): JSX.Element | null {
  const chip = actionChip(step);
  if (!chip && !step.typed_text && !step.by_person) return null;
  return (
    <div class="action-caption">
      {step.by_person && (
        <span class="action-chip action-by">
          <Icon name="hand" size={12} />
          <bdi class="clip">{step.by_person}</bdi>
        </span>
      )}
      {step.typed_text && (
        <span class="action-typed">
          <Icon name="keyboard" size={14} label="typed" />
          <span class="said">{step.typed_text}</span>
        </span>
      )}
      {chip && <span class="action-chip said">{chip}</span>}
    </div>
  );
}
