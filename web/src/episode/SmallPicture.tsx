/** A small picture of a screen; the full one where the small one is missing, and an icon where both are. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Icon } from "../components/icons";
import type { FilmSource } from "./filmSource";

/** Show the picture. It loads when it is seen. */
export function SmallPicture({ screen, source }: { screen: string | null | undefined; source: FilmSource }): JSX.Element {
  const [failed, setFailed] = useState<readonly string[]>([]);
  const urls = screen ? [source.pictureUrl(screen, "small"), source.pictureUrl(screen, "full")] : [];
  const url = urls.find((one) => one !== null && !failed.includes(one));
  if (!url) return <Icon name="image" />;
  return (
    <img src={url} alt="" loading="lazy" decoding="async" draggable={false} onError={() => setFailed([...failed, url])} />
  );
}
