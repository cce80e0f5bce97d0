/** Reads server-sent events out of the text of a stream, whose parts may end anywhere. */

export interface SentEvent {
  readonly id: string | null;
  readonly data: string;
}

export class EventParser {
  #rest = "";
  #data: string[] = [];
  #id: string | null = null;

  /** Takes the next part of the stream. Returns the events that are complete now. */
  take(part: string): SentEvent[] {
    const events: SentEvent[] = [];
    const lines = (this.#rest + part).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#takeLine(line, events);
    return events;
  }

  #takeLine(line: string, events: SentEvent[]): void {
    if (line === "") {
      if (this.#data.length > 0 || this.#id !== null) events.push({ id: this.#id, data: this.#data.join("\n") });
      this.#data = [];
      this.#id = null;
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
  }
}
