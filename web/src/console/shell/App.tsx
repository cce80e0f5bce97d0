/** The console as a whole: the sign-in form, or the page that the address names within the navigation. */

import "./shell.css";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { watchStreams } from "../data/connection";
import { closeFeed, openFeed } from "../data/event_feed";
import { session } from "../data/session";
import { closeWall, openWall } from "../data/wall_store";
import { retryPictures } from "../live/picture_retry";
import { ConnectionBanner } from "./ConnectionBanner";
import { Navigation } from "./Navigation";
import { openAttention } from "./attention_count";
import { PageSwitch } from "./PageSwitch";
import { SearchPalette } from "./SearchPalette";
import { SignIn } from "./SignIn";
import { SwitchSession } from "./SwitchSession";

export function App(): JSX.Element {
  const state = session.value;
  if (state.kind === "asking") {
    return (
      <main class="shell-wait" aria-busy="true">
        <p class="quiet">
          <Icon name="clock" /> Asking the service who you are…
        </p>
      </main>
    );
  }
  if (state.kind === "choosing") return <SwitchSession status={state.status} other={state.other} />;
  return state.kind === "out" ? <SignIn problem={state.problem} /> : <SignedIn />;
}

function SignedIn(): JSX.Element {
  useEffect(() => {
    watchStreams([openFeed(), openWall()]);
    const endAttention = openAttention();
    const endRetries = retryPictures();
    return () => {
      endRetries();
      watchStreams([]);
      endAttention();
      closeFeed();
      closeWall();
    };
  }, []);
  return (
    <div class="shell">
      <a class="skip-link" href="#page" onClick={skipToPage}>
        Skip to the page
      </a>
      <Navigation />
      <div class="shell-page">
        <ConnectionBanner />
        <main id="page" tabIndex={-1}>
          <PageSwitch />
        </main>
      </div>
      <SearchPalette />
    </div>
  );
}

function skipToPage(event: Event): void {
  event.preventDefault();
  document.getElementById("page")?.focus();
}
