/** Keep the text that a person types on a phone's picture, and send it before whatever the person does next. */
import { useEffect, useState } from "preact/hooks";
import type { PersonAction } from "./personAction";

export interface Typing {
  /** What was typed and is not under way. */
  readonly typed: string;
  /** What was typed and has not come to the phone. */
  readonly shown: string;
  /** What the person should know of it. */
  readonly note: string;
  readonly edit: (typed: string) => void;
  /** Send what was typed. Return whether the phone typed it; if not, the text is kept. */
  readonly send: () => Promise<boolean>;
  /** Send what was typed, because the person turns to something else. */
  readonly leave: () => void;
  /** Send an action on the screenshot `seen`, after what was typed before it. Return whether the phone did it. */
  readonly act: (action: PersonAction, seen: string) => Promise<boolean>;
}

interface Waiting {
  readonly action: PersonAction;
  readonly seen: string;
  readonly answer: (isDone: boolean) => void;
}

/** How long a pause in typing sends what was typed, in milliseconds. */
const PAUSE_MS = 700;
const KEPT = "The text did not come to the phone. Enter sends it again, Escape drops it.";
const MOVED = "The text was sent first, and the screen has changed. Look at it, and do that again.";

/** Keep what is typed. `screen`: the latest screenshot. `isBusy`: an action or a picture is under way. */
export function useTyping(screen: string | null, isBusy: boolean, onAct: (action: PersonAction, seen: string) => Promise<boolean>): Typing {
  const [typed, setTyped] = useState("");
  const [sent, setSent] = useState("");
  const [note, setNote] = useState("");
  const [waiting, setWaiting] = useState<Waiting | null>(null);
  const send = async (): Promise<boolean> => {
    if (screen === null) return false;
    setNote("");
    setTyped("");
    setSent(typed);
    const isDone = await onAct({ name: "Type", text: typed, clear: false }, screen);
    setSent("");
    if (!isDone) {
      setTyped((later) => typed + later);
      setNote(KEPT);
    }
    return isDone;
  };
  useEffect(() => {
    // A text that was refused is not sent again by itself.
    if (!typed || isBusy || waiting || note === KEPT) return undefined;
    const timer = setTimeout(() => void send(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, isBusy, waiting, note]);
  useEffect(() => {
    if (!waiting || isBusy || screen === null) return;
    const { action, seen, answer } = waiting;
    setWaiting(null);
    if (hasPlace(action) && seen !== screen) {
      setNote(MOVED);
      answer(false);
    } else void onAct(action, screen).then(answer);
  }, [waiting, isBusy, screen]);
  const act = async (action: PersonAction, seen: string): Promise<boolean> => {
    if (action.name === "Wait" || !typed) {
      setNote((now) => (typed ? now : ""));
      return await onAct(action, seen);
    }
    if (!(await send())) return false;
    return await new Promise((answer) => setWaiting({ action, seen, answer }));
  };
  const edit = (text: string): void => {
    setTyped(text);
    if (!text) setNote("");
  };
  const leave = (): void => {
    if (typed && !isBusy && note !== KEPT) void send();
  };
  return { typed, shown: sent + typed, note, edit, send, leave, act };
}

/** Return whether an action was meant for a place of the screen that the person saw. */
function hasPlace(action: PersonAction): boolean {
  return action.name === "Tap" || action.name === "Long_Press" || action.name === "Swipe";
}
