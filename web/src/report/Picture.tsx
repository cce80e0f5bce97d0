/** A small picture of a screen. Where it is missing, a quiet ground stands in its place. */
import "./picture.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { pictureUrl } from "./store";

/** Show the thumbnail of a screen, or its full picture where there is no thumbnail. */
export function Picture({ screen, label = "", class: more = "" }: { screen: string | null | undefined; label?: string; class?: string }): JSX.Element {
  const [failed, fail] = useState<{ screen: string; times: number }>({ screen: "", times: 0 });
  const times = failed.screen === screen ? failed.times : 0;
  const url = screen ? pictureUrl(screen, times ? "full" : "small") : null;
  if (!screen || !url || times > 1) return <span class={`picture picture-none ${more}`} />;
  return (
    <img
      class={`picture ${more}`}
      src={url}
      alt={label}
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={() => fail({ screen, times: times + 1 })}
    />
  );
}
