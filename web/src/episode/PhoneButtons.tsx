/** Buttons and a text field for a phone that a person has: everything can be done without pointing at its screen. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { type Direction, type PersonAction, swipeOver } from "./personAction";

interface ButtonsProps {
  readonly size: readonly [number, number];
  readonly isBusy: boolean;
  readonly onAct: (action: PersonAction) => void;
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

/** Show the buttons. */
export function PhoneButtons({ size, isBusy, onAct }: ButtonsProps): JSX.Element {
  const [text, setText] = useState("");
  const [clear, setClear] = useState(false);
  const send = (event: Event): void => {
    event.preventDefault();
    if (!text || isBusy) return;
    onAct({ name: "Type", text, clear });
    setText("");
  };
  return (
    <div class="phone-buttons">
      <div class="phone-row" role="group" aria-label="Keys of the phone">
        {KEYS.map((key) => (
          <Button key={key.name} disabled={isBusy} onClick={() => onAct({ name: key.name })}>
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
            onClick={() => onAct(swipeOver(swipe.to, size))}
          />
        ))}
        <Button icon="retry" kind="quiet" label="Take the screen anew" disabled={isBusy} onClick={() => onAct({ name: "Wait", seconds: 0.1 })} />
      </div>
      <form class="phone-row" onSubmit={send}>
        <input
          class="phone-text"
          aria-label="Text to type on the phone"
          placeholder="Text to type"
          value={text}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
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
