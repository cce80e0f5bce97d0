/** A small picture of a screen; the full one where the small one is missing, and an icon where both are. */
import type { JSX } from "preact";
import { Icon } from "../components/icons";
import { useSurePicture } from "../state/picture";
import type { FilmSource } from "./filmSource";

/** Show the picture. It loads when it is seen. */
export function SmallPicture({ screen, source }: { screen: string | null | undefined; source: FilmSource }): JSX.Element {
  const urls = screen ? [source.pictureUrl(screen, "small"), source.pictureUrl(screen, "full")] : [];
  const picture = useSurePicture(source.reach, urls.filter((url) => url !== null));
  if (!picture.url) return <Icon name="image" />;
  return <img src={picture.url} alt="" loading="lazy" decoding="async" draggable={false} onError={picture.onError} />;
}
