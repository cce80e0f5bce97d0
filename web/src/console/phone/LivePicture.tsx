/** The screen of a phone as it is now, whether or not the phone has a task: taken again and again while it is shown. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { loadPicture } from "../../state/picture";
import { addressOf, part } from "../data/requests";

/** Shows the screen, a new one `everyMs` after the last. A phone that shows none is asked again more seldom. */
export function LivePicture(props: { serial: string; everyMs: number; label: string; size: number }): JSX.Element {
  const { serial, everyMs } = props;
  const source = useSignal<string | null>(null);
  const isSilent = useSignal(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const next = async (number: number): Promise<void> => {
      const picture = document.hidden ? null : await loadPicture(undefined, addressOf(`/phones/${part(serial)}/picture`, { number }));
      if (isOver) return;
      if (picture !== null) source.value = picture.src;
      isSilent.value = picture === null && !document.hidden;
      timer = setTimeout(() => void next(number + 1), isSilent.value ? 5 * everyMs : everyMs);
    };
    void next(0);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [serial, everyMs]);
  if (source.value !== null && !isSilent.value) return <img src={source.value} alt={props.label} draggable={false} />;
  return (
    <span class="faint live-none">
      <Icon name="phone" size={props.size} />
      {props.label && (isSilent.value ? "It shows no screen now" : "Asking for its screen…")}
    </span>
  );
}
