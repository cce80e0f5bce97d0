/** What perception read off the screen of a step, and which texts came and went with its action. */
import "./screenPanel.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { EmptyState } from "../components/EmptyState";
import { Icon } from "../components/icons";
import { formatCounted } from "../state/format";
import { elementText, pointedElement } from "./BoxLayer";
import { drawBoxes, type FilmState } from "./filmState";
import { elementsOnlyIn } from "./pictureChanges";
import type { ReadElement } from "./types";

/** More elements than this are listed on demand. */
const MOST_LISTED = 400;

/** Show what was read. */
export function ScreenPanel({ film }: { film: FilmState }): JSX.Element {
  const { step, next } = film;
  const [wanted, setWanted] = useState("");
  const [isWhole, setWhole] = useState(false);
  if (!step.elements.length) {
    return <EmptyState icon="screen" title="Nothing was read">Perception read no text and no icon at this step.</EmptyState>;
  }
  const text = wanted.trim().toLowerCase();
  const found = text ? step.elements.filter((one) => one.content.toLowerCase().includes(text)) : step.elements;
  const ofViews = step.elements.filter(isOfViews).length;
  const listed = isWhole ? found : found.slice(0, MOST_LISTED);
  return (
    <div class="screen-panel">
      {next && next.screen === step.screen_after && next.screen !== step.screen && (
        <ComeAndGone before={step.elements} after={next.elements} />
      )}
      <div class="screen-panel-head">
        <h2>
          {formatCounted(step.elements.length, "element")} read before the action
          {ofViews > 0 && `, ${ofViews} of them by accessibility`}
        </h2>
        <Button icon="layers" pressed={film.boxes} title="Boxes on the screen (B)" onClick={() => drawBoxes(!film.boxes)}>
          Boxes
        </Button>
        <input
          class="field-input"
          type="search"
          placeholder="Find a text"
          aria-label="Find a text on the screen"
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
      </div>
      <ol class="element-list" onPointerLeave={() => (pointedElement.value = null)}>
        {listed.map((one, index) => (
          <ElementLine key={index} one={one} number={step.elements.indexOf(one) + 1} />
        ))}
      </ol>
      {!found.length && <p class="quiet">No element has this text.</p>}
      {listed.length < found.length && <Button onClick={() => setWhole(true)}>Show all {found.length}</Button>}
    </div>
  );
}

/** Return whether the phone told of an element, by its accessibility tree. */
function isOfViews(one: ReadElement): boolean {
  return one.source === "accessibility";
}

function ElementLine({ one, number }: { one: ReadElement; number: number }): JSX.Element {
  const point = (): void => {
    pointedElement.value = one;
  };
  return (
    <li>
      <button
        type="button"
        class={`element-line${pointedElement.value === one ? " element-pointed" : ""}`}
        onPointerEnter={point}
        onFocus={point}
        onBlur={() => (pointedElement.value = null)}
        onClick={point}
      >
        <span class="num faint">{number}</span>
        <span class={`element-kind element-${one.kind}`}>{one.kind}</span>
        <span class="element-text">
          <bdi>{elementText(one)}</bdi>
          {isOfViews(one) && (
            <span class="element-source faint" title="The phone told of it, by its accessibility tree">
              accessibility
            </span>
          )}
        </span>
        <span class="num faint element-place">
          {one.x1}, {one.y1} – {one.x2}, {one.y2}
        </span>
      </button>
    </li>
  );
}

function ComeAndGone(props: { before: readonly ReadElement[]; after: readonly ReadElement[] }): JSX.Element | null {
  const named = (these: readonly ReadElement[]): string[] => [...new Set(these.map((one) => one.content).filter(Boolean))];
  const gone = named(elementsOnlyIn(props.before, props.after));
  const come = named(elementsOnlyIn(props.after, props.before));
  if (!gone.length && !come.length) return null;
  return (
    <section class="come-gone" aria-label="What the action changed">
      <TextGroup icon="plus" title="Came" texts={come} kind="come" />
      <TextGroup icon="minus" title="Went" texts={gone} kind="gone" />
    </section>
  );
}

const MOST_TEXTS = 24;

function TextGroup(props: { icon: "plus" | "minus"; title: string; texts: readonly string[]; kind: string }): JSX.Element | null {
  const { texts } = props;
  if (!texts.length) return null;
  return (
    <div>
      <h2 class="come-gone-title">
        <Icon name={props.icon} size={12} /> {props.title}
      </h2>
      <ul class="come-gone-texts">
        {texts.slice(0, MOST_TEXTS).map((text) => (
          <li key={text} class={`come-gone-text come-gone-${props.kind}`} title={text}>
            <bdi>{text}</bdi>
          </li>
        ))}
        {texts.length > MOST_TEXTS && <li class="faint">and {texts.length - MOST_TEXTS} more</li>}
      </ul>
    </div>
  );
}
