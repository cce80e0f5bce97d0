/** A short explanation that appears beside what the pointer or the keyboard is at. */
import "./tooltip.css";
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Explain the children. They should be focusable if the explanation matters to everybody. */
export function Tooltip({ text, children }: { text: ComponentChildren; children: ComponentChildren }): JSX.Element {
  const [isShown, show] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    if (!isShown || !anchor.current || !tip.current) return;
    const box = anchor.current.getBoundingClientRect();
    placeBeside(tip.current, box);
  }, [isShown]);
  return (
    <span
      ref={anchor}
      class="tooltip-anchor"
      aria-describedby={isShown ? id : undefined}
      onPointerEnter={() => show(true)}
      onPointerLeave={() => show(false)}
      onFocusIn={() => show(true)}
      onFocusOut={() => show(false)}
      onKeyDown={(event) => event.key === "Escape" && show(false)}
    >
      {children}
      {isShown && (
        <span ref={tip} id={id} class="tooltip" role="tooltip">
          {text}
        </span>
      )}
    </span>
  );
}

/** Place a fixed element below a box, or above it where there is more room, and inside the viewport. */
export function placeBeside(element: HTMLElement, box: { left: number; top: number; bottom: number; width: number }): void {
  const { offsetWidth: width, offsetHeight: height } = element;
  const left = Math.max(8, Math.min(box.left + box.width / 2 - width / 2, innerWidth - width - 8));
  const below = box.bottom + 8;
  const top = below + height <= innerHeight - 8 ? below : Math.max(8, box.top - height - 8);
  element.style.left = `${left}px`;
  element.style.top = `${top}px`;
}
