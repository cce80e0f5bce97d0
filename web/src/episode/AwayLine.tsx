/** Say that the film's screens cannot be reached for now. */
import "./liveLine.css";
import type { JSX } from "preact";
import { Icon } from "../components/icons";

/** Show it. */
export function AwayLine(): JSX.Element {
  return (
    <p class="live-lost" role="status">
      <Icon name="warning" /> The film's screens cannot be reached. The page tries again by itself, and the film goes on here.
    </p>
  );
}
