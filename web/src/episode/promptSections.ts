/** Split a recorded request into sections that people can read: by message, picture and heading. */

export interface PromptSection {
  /** The heading, or `Opening` before the first one. */
  readonly title: string;
  /** The role of the message: system, user, assistant. */
  readonly role: string;
  readonly text: string;
  /** The content id of a picture; "" for a text. */
  readonly picture: string;
}

/** Begins what replaces the data of a picture in a recorded request. The picture's content id follows. */
export const PICTURE_MARK = "manyhands:";

const HEADING = /^(?:#{1,6}\s+(.+?)\s*#*|\*\*([^*\n]{1,80})\*\*:?)\s*$/;

/** Return the sections of a request in the order in which the model read them. */
export function promptSections(request: Readonly<Record<string, unknown>>): PromptSection[] {
  return listOf(request["messages"]).flatMap((message) => {
    const { role, content } = objectOf(message);
    const name = typeof role === "string" ? role : "message";
    if (typeof content === "string") return textSections(name, content);
    return listOf(content).flatMap((part) => partSections(name, objectOf(part)));
  });
}

/** Return what else a request asks for, such as its temperature: all but the messages. */
export function requestSettings(request: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(request)
    .filter(([name]) => name !== "messages")
    .map(([name, value]) => [name, typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")]);
}

function partSections(role: string, part: Record<string, unknown>): PromptSection[] {
  const picture = pictureOf(part);
  if (picture) return [{ title: "Picture", role, text: "", picture }];
  if (typeof part["text"] === "string") return textSections(role, part["text"]);
  return [{ title: String(part["type"] ?? "part"), role, text: JSON.stringify(part, null, 2), picture: "" }];
}

/** Return the content id of the picture that a part of a message shows; "" if it shows none. */
export function pictureOf(part: Record<string, unknown>): string {
  const url = objectOf(part["image_url"])["url"];
  return typeof url === "string" && url.startsWith(PICTURE_MARK) ? url.slice(PICTURE_MARK.length) : "";
}

function textSections(role: string, text: string): PromptSection[] {
  const sections: PromptSection[] = [];
  let title = "";
  let lines: string[] = [];
  const close = (): void => {
    const body = lines.join("\n").trim();
    if (title || body) sections.push({ title: title || "Opening", role, text: body, picture: "" });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const found = HEADING.exec(line);
    if (found) {
      close();
      title = (found[1] ?? found[2] ?? "").trim();
    } else lines.push(line);
  }
  close();
  return sections;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Return the parts of a reply that is a JSON object, texts as they are and other values as JSON; null for another reply. */
export function replyParts(reply: string): [string, string][] | null {
  try {
    const value: unknown = JSON.parse(reply);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.entries(value).map(([name, part]) => [name, typeof part === "string" ? part : JSON.stringify(part, null, 2)]);
  } catch {
    return null;
  }
}
