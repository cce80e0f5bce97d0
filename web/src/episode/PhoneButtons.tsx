/** Buttons and a text field for a phone that a person has: everything can be done without pointing at its screen. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { type Direction, type PersonAction, swipeOver } from "./personAction";

interface ButtonsProps {
  readonly size: readonly [number, number];
  /** The text of the field, which stays until the phone has typed it. */
  readonly text: string;
  readonly setText: (change: (now: string) => string) => void;
  readonly isBusy: boolean;
  /** Whether the screen may be taken anew. */
  readonly mayRefresh: boolean;
  /** Send an action. Returns whether the phone did it. */
  readonly onAct: (action: PersonAction) => Promise<boolean>;
}

const KEYS = [
  { name: "Back", words: "Back" },
  { name: "Home", words: "Home" },
  { name: "Switch_App", words: "Apps" },
  { name: "Enter", words: "Enter" },
] as const;

const SWIPES: readonly { readonly to: Direction; readonly icon: "up" | "down" | "left" | "right" }[] = [
  { to: "up", icon: "up" },
  { to: "down", icon: "down" },
  { to: "left", icon: "left" },
  { to: "right", icon: "right" },
];

const REFRESH: PersonAction = { name: "Wait", seconds: 0.1 };

/** Show the buttons. */
export function PhoneButtons({ size, text, setText, isBusy, mayRefresh, onAct }: ButtonsProps): JSX.Element {
  const [clear, setClear] = useState(false);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (!text || isBusy) return;
    if (await onAct({ name: "Type", text, clear })) setText((now) => (now === text ? "" : now));
  };
  return (
    <div class="phone-buttons">
      <div class="phone-row" role="group" aria-label="Keys of the phone">
        {KEYS.map((key) => (
          <Button key={key.name} disabled={isBusy} onClick={() => void onAct({ name: key.name })}>
            {key.words}
          </Button>
        ))}
        {SWIPES.map((swipe) => (
          <Button
            key={swipe.to}
            icon={swipe.icon}
            kind="quiet"
            label={`Swipe ${swipe.to}`}
            disabled={isBusy}
            onClick={() => void onAct(swipeOver(swipe.to, size))}
          />
        ))}
        <Button icon="retry" kind="quiet" label="Take the screen anew" disabled={!mayRefresh} onClick={() => void onAct(REFRESH)} />
      </div>
      <form class="phone-row" onSubmit={(event) => void send(event)}>
        <input
          class="phone-text"
          aria-label="Text to type on the phone"
          placeholder="Text to type"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => {
            const written = event.currentTarget.value;
            setText(() => written);
          }}
          onKeyDown={(event) => event.key === "Escape" && setText(() => "")}
        />
        <label class="phone-clear">
          <input type="checkbox" checked={clear} onChange={(event) => setClear(event.currentTarget.checked)} /> empty the field first
        </label>
        <Button type="submit" disabled={isBusy || !text}>
          Type
        </Button>
      </form>
    </div>
  );
}
