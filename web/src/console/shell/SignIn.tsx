/** Asks for a token. The service answers with a cookie that scripts cannot read; the token is kept nowhere. */

import "./sign_in.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import type { Problem } from "../data/problem";
import { signIn } from "../data/session";
import { CopyLine } from "../shared/CopyLine";
import { ProblemNote } from "../shared/ProblemNote";
import { Wordmark } from "./Wordmark";

export function SignIn({ problem }: { problem: Problem | null }): JSX.Element {
  const isAsking = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const token = String(new FormData(form).get("token") ?? "").trim();
    if (token === "") return;
    isAsking.value = true;
    await signIn(token);
    isAsking.value = false;
  };
  return (
    <main class="sign-in">
      <form class="sign-in-form panel" onSubmit={(event) => void submit(event)}>
        <h1>
          <Wordmark />
        </h1>
        <p class="quiet">Sign in to this service with your token.</p>
        <label class="labelled">
          <span class="labelled-name">Token</span>
          <input name="token" class="input mono" type="password" autocomplete="current-password" required autofocus />
        </label>
        {problem && <ProblemNote problem={problem} />}
        <Button type="submit" kind="primary" disabled={isAsking.value}>
          {isAsking.value ? "Signing in…" : "Sign in"}
        </Button>
        <div class="sign-in-help quiet">
          <p>
            The first start of the service prints its token, and keeps it in the file <code>token</code> of its folder.
            An operator makes further tokens:
          </p>
          <CopyLine text="manyhands tokens make YOUR-NAME --role submit" />
        </div>
      </form>
    </main>
  );
}
