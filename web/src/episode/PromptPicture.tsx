/** A picture that a model was shown: a screen, half of its size, or a part of it with a box and a number. */
import type { JSX } from "preact";
import { useSurePicture } from "../state/picture";
import type { FilmSource } from "./filmSource";

const DERIVED = /^([0-9a-f]{32})-(?:half|crop-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d+)\.(\d+)\.(\d+)\.(\d+)-(\d{1,2}))$/;

/** Show the picture, made again from its screen where it was made from one. */
export function PromptPicture({ picture, source }: { picture: string; source: FilmSource }): JSX.Element {
  const found = DERIVED.exec(picture);
  const screen = found?.[1] ?? picture;
  const url = source.pictureUrl(screen, "full");
  const shown = useSurePicture(source.reach, url === null ? [] : [url]);
  const numbers = found?.slice(2).map(Number) ?? [];
  const isCrop = found?.[2] !== undefined;
  return (
    <figure class="prompt-picture">
      {!url ? (
        <p class="quiet">This report was made without screens.</p>
      ) : !shown.url ? (
        <p class="quiet">{shown.isMissing ? "This picture could not be loaded." : "This picture is loaded as soon as it can be reached."}</p>
      ) : isCrop ? (
        <CropPicture url={shown.url} numbers={numbers} onError={shown.onError} />
      ) : (
        <a href={url} target="_blank" rel="noreferrer" title="Open the picture">
          <img src={shown.url} alt="Screen shown to the model" loading="lazy" decoding="async" onError={shown.onError} />
        </a>
      )}
      <figcaption class="faint">
        {isCrop ? "A part of a screen" : found ? "A screen, half as wide" : "A screen"} <span class="mono said">{picture.slice(0, 8)}</span>
      </figcaption>
    </figure>
  );
}

function CropPicture(props: { url: string; numbers: readonly number[]; onError: () => void }): JSX.Element {
  const { url, numbers } = props;
  const [x1 = 0, y1 = 0, x2 = 1, y2 = 1, u1 = 0, v1 = 0, u2 = 1, v2 = 1, number = 0] = numbers;
  const width = Math.max(1, x2 - x1);
  const height = Math.max(1, y2 - y1);
  return (
    <svg class="prompt-crop" viewBox={`${x1} ${y1} ${width} ${height}`} role="img" aria-label={`Part ${number} of a screen, shown to the model`}>
      <image href={url} x={0} y={0} onError={props.onError} />
      <rect x={u1} y={v1} width={u2 - u1} height={v2 - v1} class="prompt-crop-box" />
      <text x={u1 + 4} y={v1 + 26} class="prompt-crop-number">{number}</text>
    </svg>
  );
}
