/** Write a recorded model call as a command for a shell. It has no secrets, and pictures are filled in from files. */
import { PICTURE_MARK } from "./promptSections";

const SCREEN = /^([0-9a-f]{32})(?:-(half|crop-[0-9.]{7,23}-[0-9.]{7,23}-[0-9]{1,2}))?$/;

/** Return the command. `server`: the base address of the server's API, such as `http://gpu:8000/v1`. */
export function curlCommand(server: string, request: Readonly<Record<string, unknown>>): string {
  const parts = splitAtPictures(JSON.stringify(request));
  const lines = ["# The key of the server, if it asks for one: export MANYHANDS_API_KEY=..."];
  if (parts.length > 1) lines.push("# The folder with the run's screens:", 'SCREENS="${SCREENS:-screens}"');
  for (const part of parts) {
    const kind = SCREEN.exec(part.picture)?.[2];
    if (kind) lines.push(`# ${part.picture}.png is made from a screen (${kind.split("-")[0] ?? ""}): save it from the page.`);
  }
  lines.push("{");
  for (const part of parts) {
    if (part.picture) lines.push(`  base64 < "$SCREENS/${fileName(part.picture)}" | tr -d '\\n'`);
    lines.push(`  printf %s ${quote(part.text)}`);
  }
  lines.push(
    "} | curl --silent --show-error \\",
    "  -H 'Content-Type: application/json' \\",
    '  -H "Authorization: Bearer $MANYHANDS_API_KEY" \\',
    `  --data-binary @- ${quote(endpoint(server))}`,
  );
  return `${lines.join("\n")}\n`;
}

interface BodyPart {
  /** The picture whose data stand before the text; "" for the first part. */
  readonly picture: string;
  readonly text: string;
}

/** Split a body behind `data:image/png;base64,` of each picture. */
function splitAtPictures(body: string): BodyPart[] {
  const [first = "", ...others] = body.split(`"url":"${PICTURE_MARK}`);
  const parts: BodyPart[] = [{ picture: "", text: first }];
  for (const other of others) {
    const end = other.indexOf('"');
    const last = parts.pop() as BodyPart;
    parts.push({ picture: last.picture, text: `${last.text}"url":"data:image/png;base64,` });
    parts.push({ picture: other.slice(0, end), text: other.slice(end) });
  }
  return parts;
}

/** Return the name of a picture's file. An id of another form could carry commands, so that it gets a plain name. */
function fileName(picture: string): string {
  return `${SCREEN.test(picture) ? picture : "picture"}.png`;
}

function endpoint(server: string): string {
  const plain = [...server].map((letter) => (letter < " " || letter === "\u007f" ? "" : letter)).join("");
  return /\/(chat\/)?completions$/.test(plain) ? plain : `${plain.replace(/\/+$/, "")}/chat/completions`;
}

/** Quote a text for a shell: nothing in it is expanded. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
