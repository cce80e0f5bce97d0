/** One screen of a step, with what is drawn on it in pixels of the screenshot. */
import "./screenShot.css";
import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Icon } from "../components/icons";
import { type SurePicture, useSurePicture } from "../state/picture";
import type { FilmSource } from "./filmSource";

export interface ScreenShotProps {
  readonly source: FilmSource;
  readonly screen: string;
  readonly size: readonly [number, number];
  /** What the picture shows, for those who do not see it. */
  readonly label: string;
  /** SVG elements in pixels of the screenshot. */
  readonly marks?: ComponentChildren;
  /** Elements over the picture. */
  readonly children?: ComponentChildren;
  readonly class?: string;
}

/** Show a screen as large as its place allows. */
export function ScreenShot(props: ScreenShotProps): JSX.Element {
  const { screen, size } = props;
  const url = props.source.pictureUrl(screen, "full");
  const picture = useSurePicture(props.source.reach, url === null ? [] : [url]);
  return (
    <div class={`shot ${props.class ?? ""}`} style={{ "--ratio": String(size[0] / size[1]) }}>
      {picture.url ? (
        <img
          class="shot-picture"
          src={picture.url}
          alt={props.label}
          width={size[0]}
          height={size[1]}
          decoding="async"
          draggable={false}
          onError={picture.onError}
        />
      ) : (
        <div class="shot-missing" role="img" aria-label={props.label}>
          <Icon name="image" size={24} />
          <span>{missingWords(url, picture)}</span>
        </div>
      )}
      {props.marks && (
        <svg class="shot-marks" viewBox={`0 0 ${size[0]} ${size[1]}`} preserveAspectRatio="none" aria-hidden="true">
          {props.marks}
        </svg>
      )}
      {props.children}
    </div>
  );
}

function missingWords(url: string | null, picture: SurePicture): string {
  if (!url) return "This report was made without screens.";
  return picture.isMissing ? "This screen could not be loaded." : "This screen is loaded as soon as it can be reached.";
}

/** Load the pictures of neighbours ahead, so that a film does not wait. */
export function usePreload(source: FilmSource, screens: readonly (string | null | undefined)[]): void {
  const wanted = screens.filter(Boolean).join(" ");
  useEffect(() => {
    const loading = wanted.split(" ").filter(Boolean).map((screen) => {
      const picture = new Image();
      const url = source.pictureUrl(screen, "full");
      if (url) picture.src = url;
      return picture;
    });
    return () => loading.splice(0);
  }, [wanted, source]);
}
