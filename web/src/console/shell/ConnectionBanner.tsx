/** Says quietly that the connection is lost while it is tried again, and that it is back. */

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { connection } from "../data/connection";

/** How long a connection may be lost before anybody is told: most come back at once. */
const PATIENCE_MS = 1500;
const GOOD_NEWS_MS = 3000;

export function ConnectionBanner(): JSX.Element {
  const shown = useSignal<"nothing" | "lost" | "back">("nothing");
  const state = connection.value;
  useEffect(() => {
    if (state === "lost" && shown.value !== "lost") {
      const timer = setTimeout(() => (shown.value = "lost"), PATIENCE_MS);
      return () => clearTimeout(timer);
    }
    if (state === "connected" && shown.value === "lost") {
      shown.value = "back";
      const timer = setTimeout(() => (shown.value = "nothing"), GOOD_NEWS_MS);
      return () => clearTimeout(timer);
    }
    return undefined;
  }, [state]);
  return (
    <div class="connection" role="status">
      {shown.value === "lost" && (
        <p class="connection-lost">
          <Icon name="warning" size={14} /> The connection to the service is lost. What you see may be old. The page tries
          again by itself.
        </p>
      )}
      {shown.value === "back" && (
        <p class="connection-back">
          <Icon name="check" size={14} /> The connection is back. Nothing is missing.
        </p>
      )}
    </div>
  );
}
