/**
 * Load what the report holds: `run`, `episodes/ID`, `calls/ID`, `logs/ID`; for two runs `diff`, and the others behind
 * `left/` and `right/`. In a folder each is a script beside the page,
 * because a page on the disk may not fetch files. In a report of one file each is a `<script type="text/plain">`.
 */

import { loadSurely } from "../state/reach";

type Receive = (payload: string) => void;

const waiting = new Map<string, Receive>();
const loaded = new Map<string, Promise<unknown>>();
let embedded: Map<string, HTMLElement> | undefined;

declare global {
  interface Window {
    /** The scripts of payloads call this. */
    manyhandsReport(name: string, payload: string): void;
  }
}

window.manyhandsReport = (name, payload) => waiting.get(name)?.(payload);

/** Tell that the report lacks something. */
export class MissingPart extends Error {
  constructor(readonly part: string) {
    super(`The report has no "${part}".`);
  }
}

/** The name of the payload that the page shows first: `run` in the report of one run, `diff` in that of two. */
export function firstPart(): string {
  return document.getElementById("app")?.dataset["first"] ?? "run";
}

/**
 * Return a payload, which is loaded once. While the disk or the network is away, it waits. Throws MissingPart, or another
 * error for a payload that is damaged.
 */
export function loadPart<Part>(name: string): Promise<Part> {
  let found = loaded.get(name);
  if (!found) {
    found = loadSurely(reachReport, () => readPayload(name)).then(unpack);
    loaded.set(name, found);
    found.catch(() => loaded.delete(name));
  }
  return found as Promise<Part>;
}

/** Return whether the report's folder can be read now. Its style sheet, which every report has, is loaded and not applied. */
export function reachReport(): Promise<boolean> {
  if (embeddedParts().size) return Promise.resolve(true);
  return new Promise((resolve) => {
    const link = document.createElement("link");
    const end = (isThere: boolean): void => {
      link.remove();
      resolve(isThere);
    };
    link.rel = "stylesheet";
    link.media = "not all";
    link.onload = () => end(true);
    link.onerror = () => end(false);
    // A number that changes: the browser's cache cannot tell what can be reached.
    link.href = `report/report.css?${Date.now()}-${(probes += 1)}`;
    document.head.append(link);
  });
}

let probes = 0;

function readPayload(name: string): Promise<string> {
  const element = embeddedParts().get(name);
  if (element) return Promise.resolve(element.textContent.trim());
  if (embeddedParts().size) return Promise.reject(new MissingPart(name));
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    const end = (): void => {
      waiting.delete(name);
      script.remove();
    };
    waiting.set(name, (payload) => {
      end();
      resolve(payload);
    });
    script.onload = script.onerror = () => {
      if (!waiting.has(name)) return;
      end();
      reject(new MissingPart(name));
    };
    script.src = `report/${name.split("/").map(encodeURIComponent).join("/")}.js`;
    document.head.append(script);
  });
}

function embeddedParts(): Map<string, HTMLElement> {
  embedded ??= new Map(
    Array.from(document.querySelectorAll<HTMLElement>('script[type="text/plain"][data-name]'), (one) => [
      one.dataset["name"] ?? "",
      one,
    ]),
  );
  return embedded;
}

async function unpack(payload: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/**
 * Return the address of a screen. `small`: of its thumbnail, which may be missing in a folder: fall back to the full one.
 * `folder`: where the pictures are, relative to the page, with a slash. Null: the report does not have this picture.
 */
export function pictureUrl(contentId: string, size: "full" | "small" = "full", folder = ""): string | null {
  if (!/^[0-9a-f]{16,64}$/.test(contentId)) return null;
  const parts = embeddedParts();
  if (parts.size) return parts.get(`screens/${contentId}`)?.textContent.trim() || null;
  return folder + (size === "small" ? `thumbnails/${contentId}.jpg` : `screens/${contentId}.png`);
}
