/** Asks before a link signs somebody else in: a link from another person must not take over the browser's session. */

import "./sign_in.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { choose } from "../data/session";
import type { SessionStatus } from "../data/types";
import { Wordmark } from "./Wordmark";

export function SwitchSession({ status, other }: { status: SessionStatus; other: SessionStatus }): JSX.Element {
  const isAsking = useSignal(false);
  const take = async (isOther: boolean): Promise<void> => {
    isAsking.value = true;
    await choose(isOther);
    isAsking.value = false;
  };
  return (
    <main class="sign-in">
      <section class="sign-in-form panel" aria-labelledby="switch-title">
        <h1 id="switch-title">
          <Wordmark />
        </h1>
        <p>
          You are signed in as <strong class="said">{status.owner}</strong> ({status.role}). The link that you opened signs
          in <strong class="said">{other.owner}</strong> ({other.role}).
        </p>
        <p class="quiet">Whatever you do next is recorded under the name that you choose.</p>
        <Button kind="primary" disabled={isAsking.value} onClick={() => void take(false)}>
          Stay signed in as {status.owner}
        </Button>
        <Button disabled={isAsking.value} onClick={() => void take(true)}>
          Sign in as {other.owner}
        </Button>
      </section>
    </main>
  );
}
