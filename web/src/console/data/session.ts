/** Knows who is signed in. The secret goes from the address or the form to the service, and is kept nowhere. */

import { computed, signal } from "@preact/signals";
import { go } from "../../state/address";
import { problemOf, type Problem } from "./problem";
import { change, get, send, watchRequests } from "./requests";
import type { AccessRole, SessionStatus } from "./types";

export type SessionState =
  | { readonly kind: "asking" }
  | { readonly kind: "out"; readonly problem: Problem | null }
  | { readonly kind: "in"; readonly status: SessionStatus }
  /** Signed in as `status`, by a link that would sign in somebody else: the person has to choose. */
  | { readonly kind: "choosing"; readonly status: SessionStatus; readonly other: SessionStatus; readonly token: string };

const state = signal<SessionState>({ kind: "asking" });
export const session = computed(() => state.value);

const ORDER: readonly AccessRole[] = ["read", "submit", "operate", "approve"];
export const ROLE_ALLOWS: Readonly<Record<AccessRole, string>> = {
  read: "look at everything",
  submit: "submit work, and change your own",
  operate: "change everybody's work, and phones",
  approve: "allow actions that pay, send or delete",
};

/** Returns the role of who is signed in; null if nobody is. */
export function ownRole(): AccessRole | null {
  return state.value.kind === "in" ? state.value.status.role : null;
}

export function ownName(): string {
  return state.value.kind === "in" ? state.value.status.owner : "";
}

/** Returns why the signed-in person may not do something; null if the person may. */
export function refusalFor(needed: AccessRole, owner?: string): string | null {
  const role = ownRole();
  if (role === null) return "Sign in first.";
  const rank = ORDER.indexOf(role);
  if (rank < ORDER.indexOf(needed)) return `Your role is ${role}. This needs the role ${needed}.`;
  if (owner !== undefined && owner !== ownName() && rank < ORDER.indexOf("operate")) {
    return `This belongs to ${owner}. To change the work of others, you need the role operate.`;
  }
  return null;
}

/** Signs in by the token in the address (`#token=`), which is removed at once, or by the session that is there. */
export async function beginSession(): Promise<void> {
  watchRequests((failed) => {
    if (failed?.needsSignIn && state.value.kind === "in") state.value = { kind: "out", problem: failed.problem };
  });
  // A link that is opened in a page that is there loads nothing: only the address changes.
  addEventListener("hashchange", () => {
    const token = takeToken();
    if (token !== null) void enter(token);
  });
  await enter(takeToken());
}

async function enter(token: string | null): Promise<void> {
  let status: SessionStatus;
  try {
    status = await get<SessionStatus>("/session");
  } catch (error) {
    if (token !== null) return await signIn(token);
    const problem = problemOf(error);
    state.value = { kind: "out", problem: problem.status === 401 ? null : problem };
    return;
  }
  if (token === null) state.value = { kind: "in", status };
  else await meetOther(status, token);
}

/** Signs in by a link's token where the session is that of the same person. Otherwise the person is asked first. */
async function meetOther(status: SessionStatus, token: string): Promise<void> {
  try {
    const answer = await send("/session", { headers: { Authorization: `Bearer ${token}` } });
    const other = (await answer.json()) as SessionStatus;
    if (other.owner === status.owner && other.role === status.role) return await signIn(token);
    state.value = { kind: "choosing", status, other, token };
  } catch {
    state.value = { kind: "in", status }; // The link's token is worth nothing; the session still is.
  }
}

/** Ends the choice: stays signed in, or ends that session and signs in as the other person. */
export async function choose(isOther: boolean): Promise<void> {
  if (state.value.kind !== "choosing") return;
  const { status, token } = state.value;
  if (!isOther) {
    state.value = { kind: "in", status };
    return;
  }
  await change("DELETE", "/session").catch(() => undefined);
  await signIn(token);
}

export async function signIn(token: string): Promise<void> {
  try {
    const answer = await send("/session", { method: "POST", headers: { Authorization: `Bearer ${token.trim()}` } });
    state.value = { kind: "in", status: (await answer.json()) as SessionStatus };
  } catch (error) {
    state.value = { kind: "out", problem: problemOf(error) };
  }
}

export async function signOut(): Promise<void> {
  await change("DELETE", "/session");
  state.value = { kind: "out", problem: null };
}

function takeToken(): string | null {
  const found = /^#(?:.*&)?token=([^&]*)/.exec(location.hash);
  if (found === null) return null;
  go([], {}, { replace: true });
  try {
    return decodeURIComponent(found[1] ?? "") || null;
  } catch {
    return null; // A stray % is no token; the page asks for one.
  }
}
