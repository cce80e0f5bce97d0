/** Give the screens as much height as the window has below the head of the film, so that they are seen at once. */
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

/** Above this, a head is so tall that the screens take the window's height when the person scrolls to them. */
const TALLEST_HEAD = 460;
const LEAST = 400;
const MARGIN = 12;

/** Keep `--stage-height` of the film up to date. `isTaken`: a person has the phone, which stands right below the head. */
export function useStageHeight(film: RefObject<HTMLElement | null>, hasStage: boolean, isTaken: boolean): void {
  useLayoutEffect(() => {
    const at = film.current;
    if (!at) return undefined;
    const measure = (): void => {
      const reel = at.querySelector<HTMLElement>(".film-reel");
      const last = isTaken ? at.querySelector<HTMLElement>(".film-head") : reel;
      const above = Math.min(TALLEST_HEAD, bottomOnPage(last ?? at) + MARGIN);
      at.style.setProperty("--stage-height", `${Math.max(LEAST, innerHeight - above - MARGIN)}px`);
      at.style.setProperty("--reel", isTaken ? "0px" : `${(reel?.offsetHeight ?? 0) + MARGIN}px`);
    };
    const watcher = new ResizeObserver(measure);
    for (const child of at.querySelectorAll(".film-head, .film-reel")) watcher.observe(child);
    addEventListener("resize", measure);
    measure();
    return () => {
      watcher.disconnect();
      removeEventListener("resize", measure);
    };
  }, [film, hasStage, isTaken]);
}

/** Return where an element ends, in pixels from the top of the page, as if a sticky one did not stick. */
function bottomOnPage(element: HTMLElement): number {
  const film = element.closest<HTMLElement>(".film") ?? element;
  const head = film.querySelector<HTMLElement>(".film-head");
  const top = film.getBoundingClientRect().top + scrollY;
  return top + (head?.offsetHeight ?? 0) + (element === head ? 0 : MARGIN + element.offsetHeight);
}
