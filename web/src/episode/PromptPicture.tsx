/** A picture that a model was shown: a screen, half of its size, or a part of it with a box and a number. */
import type { JSX } from "preact";
import type { FilmSource } from "./filmSource";

const DERIVED = /^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;

/** Show the picture, made again from its screen where it was made from one. */
export function PromptPicture({ picture, source }: { picture: string; source: FilmSource }): JSX.Element {
  const found = DERIVED.exec(picture);
  const screen = found?.[1] ?? picture;
  const url = source.pictureUrl(screen, "full");
  const numbers = found?.slice(2).map(Number) ?? [];
  const isCrop = found?.[2] !== undefined;
  return (
    <figure class="prompt-picture">
      {!url ? (
        <p class="quiet">This report was made without screens.</p>
      ) : isCrop ? (
        <CropPicture url={url} numbers={numbers} />
      ) : (
        <a href={url} target="_blank" rel="noreferrer" title="Open the picture">
          <img src={url} alt="Screen shown to the model" loading="lazy" decoding="async" />
        </a>
      )}
      <figcaption class="faint">
        {isCrop ? "A part of a screen" : found ? "A screen, half as wide" : "A screen"} <span class="mono said">{picture.slice(0, 8)}</span>
      </figcaption>
    </figure>
  );
}

function CropPicture({ url, numbers }: { url: string; numbers: readonly number[] }): JSX.Element {
  const [x1 = 0, y1 = 0, x2 = 1, y2 = 1, u1 = 0, v1 = 0, u2 = 1, v2 = 1, number = 0] = numbers;
  const width = Math.max(1, x2 - x1);
  const height = Math.max(1, y2 - y1);
  return (
    <svg class="prompt-crop" viewBox={`${x1} ${y1} ${width} ${height}`} role="img" aria-label={`Part ${number} of a screen, shown to the model`}>
      <image href={url} x={0} y={0} />
      <rect x={u1} y={v1} width={u2 - u1} height={v2 - v1} class="prompt-crop-box" />
      <text x={u1 + 4} y={v1 + 26} class="prompt-crop-number">{number}</text>
    </svg>
  );
}
