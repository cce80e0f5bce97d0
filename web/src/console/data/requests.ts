/** Sends requests to the service. The session's cookie says who asks; no secret is kept here. */

import { readProblem, RequestFailed, serviceAway } from "./problem";

const PREFIX = "/api/v1";
const LONGEST_WAIT_MS = 30_000;

export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

type Listener = (failed: RequestFailed | null) => void;
const listeners = new Set<Listener>();

/** Calls `listener` after each request: with null if the service answered, else with why it did not. */
export function watchRequests(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function addressOf(path: string, query: Query = {}): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") words.set(name, String(value));
  }
  const text = words.toString();
  return `${PREFIX}${path}${text ? `?${text}` : ""}`;
}

/** Returns a path's part: `part("a/b")` is `a%2Fb`. */
export const part = encodeURIComponent;

export interface Asked {
  readonly method?: string;
  readonly query?: Query;
  readonly body?: unknown;
  /** A text that is sent as it is, with its media type, in place of `body`. */
  readonly text?: { readonly content: string; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether the request goes out also when the page is being closed. Nobody reads its answer then. */
  readonly isLast?: boolean;
}

/** Sends a request and returns the answer as it came. Raises RequestFailed for every other status than 2xx and 304. */
export async function send(path: string, asked: Asked = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...asked.headers };
  let body: string | undefined;
  if (asked.text) {
    headers["Content-Type"] = asked.text.type;
    body = asked.text.content;
  } else if (asked.body !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(asked.body);
  }
  const timeout = AbortSignal.timeout(LONGEST_WAIT_MS);
  const signal = asked.signal ? AbortSignal.any([asked.signal, timeout]) : timeout;
  let answer: Response;
  try {
    answer = await fetch(addressOf(path, asked.query), {
      method: asked.method ?? "GET",
      headers,
      signal,
      credentials: "same-origin",
      keepalive: asked.isLast ?? false,
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    if (asked.signal?.aborted) throw error;
    throw told(new RequestFailed(serviceAway));
  }
  if (!answer.ok && answer.status !== 304) throw told(new RequestFailed(await readProblem(answer)));
  listeners.forEach((listener) => listener(null));
  return answer;
}

/** Returns the JSON value of a GET. */
export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  const asked: Asked = { ...(query ? { query } : {}), ...(signal ? { signal } : {}) };
  return (await (await send(path, asked)).json()) as T;
}

/** Sends a change and returns the JSON value of its answer; undefined if the answer is empty. */
export async function change<T>(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<T> {
  const answer = await send(path, { method, ...(body === undefined ? {} : { body }) });
  return (answer.status === 204 ? undefined : await answer.json()) as T;
}

function told(failed: RequestFailed): RequestFailed {
  listeners.forEach((listener) => listener(failed));
  return failed;
}
