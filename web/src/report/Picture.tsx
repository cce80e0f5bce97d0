/** A small picture of a screen. Where it is missing, a quiet ground stands in its place. */
import "./picture.css";
import type { JSX } from "preact";
import { useSurePicture } from "../state/picture";
import { pictureUrl, reachReport } from "./store";

/** Show the thumbnail of a screen, or its full picture where there is no thumbnail. */
export function Picture({ screen, label = "", class: more = "" }: { screen: string | null | undefined; label?: string; class?: string }): JSX.Element {
  const urls = screen ? [pictureUrl(screen, "small"), pictureUrl(screen, "full")] : [];
  const picture = useSurePicture(reachReport, urls.filter((url) => url !== null));
  if (!picture.url) return <span class={`picture picture-none ${more}`} />;
  return (
    <img
      class={`picture ${more}`}
      src={picture.url}
      alt={label}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={picture.onError}
    />
  );
}
