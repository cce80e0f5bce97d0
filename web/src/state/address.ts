/** Keep all that a person chose in the address: `#/part/part?name=value`. Whoever opens the address sees the same. */
import { computed, signal, type ReadonlySignal } from "@preact/signals";

export interface Address {
  /** The parts of the path, decoded: `#/episodes/a-1` has `["episodes", "a-1"]`. */
  readonly path: readonly string[];
  /** The choices by name. An empty value and a missing one are the same. */
  readonly choices: Readonly<Record<string, string>>;
}

export type Choices = Readonly<Record<string, string | number | boolean | null | undefined>>;

const current = signal<Address>(readAddress(location.hash));

/** The address now. A component that reads its value renders again when it changes. */
export const address: ReadonlySignal<Address> = computed(() => current.value);

addEventListener("hashchange", () => {
  current.value = readAddress(location.hash);
});

/** Read the part of an address behind `#`. A part that is badly encoded stays as it is. */
export function readAddress(hash: string): Address {
  const text = hash.replace(/^#\/?/, "");
  const mark = text.indexOf("?");
  const path = (mark < 0 ? text : text.slice(0, mark)).split("/").filter(Boolean).map(decode);
  const choices: Record<string, string> = Object.create(null);
  if (mark >= 0) for (const [name, value] of new URLSearchParams(text.slice(mark + 1))) if (value) choices[name] = value;
  return { path, choices };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Return the `href` of a place. Choices that are empty, false or missing are left out. */
export function linkTo(path: readonly string[], choices: Choices = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(choices)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  const tail = query.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${tail && `?${tail}`}`;
}

/** Go to a place. `replace`: the browser's "back" does not return to the place before. */
export function go(path: readonly string[], choices: Choices = {}, { replace = false } = {}): void {
  const href = linkTo(path, choices);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  current.value = readAddress(href);
}

/** Change some choices of the address, and keep its path and its other choices. */
export function choose(choices: Choices, { replace = true } = {}): void {
  go(current.value.path, { ...current.value.choices, ...choices }, { replace });
}

/** Return a choice, or `fallback` where the address has none. */
export function choice(name: string, fallback = ""): string {
  return current.value.choices[name] ?? fallback;
}

/** Return the values of a choice that may have several, such as `ending=failed,stopped`. */
export function choiceList(name: string): string[] {
  return choice(name).split(",").filter(Boolean).map(decode);
}

/** Put several values into one choice. */
export function chooseList(name: string, values: Iterable<string>): void {
  choose({ [name]: [...values].map((value) => value.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",") });
}
