/** Load pictures surely: one that failed while its source was away is loaded again when the source is back. */

import { useEffect, useState } from "preact/hooks";
import { loadSurely, type Reach } from "./reach";

export interface SurePicture {
  /** The address to show now; null while the picture cannot be shown. */
  readonly url: string | null;
  /** Whether the source can be reached but lacks the picture. */
  readonly isMissing: boolean;
  /** Call this when the picture at `url` failed to load. */
  readonly onError: () => void;
}

/** Return the first of the addresses whose picture can be loaded. Whoever shows it calls `onError` if it failed. */
export function useSurePicture(reach: Reach | undefined, urls: readonly string[]): SurePicture {
  const key = urls.join(" ");
  const [failed, setFailed] = useState<{ key: string; urls: readonly string[] }>({ key, urls: [] });
  const [missing, setMissing] = useState<string | null>(null);
  const known = failed.key === key ? failed.urls : [];
  const url = urls.find((one) => !known.includes(one)) ?? null;
  useEffect(() => {
    setMissing(null);
    if (url !== null || !urls.length) return undefined;
    let isWanted = true;
    loadSurely(reach, () => Promise.any(urls.map(openPicture))).then(
      () => isWanted && setFailed({ key, urls: [] }),
      () => isWanted && setMissing(key),
    );
    return () => {
      isWanted = false;
    };
  }, [key, url, reach]);
  return {
    url,
    isMissing: !urls.length || missing === key,
    onError: () => url !== null && setFailed({ key, urls: [...known, url] }),
  };
}

/** Return the picture of an address once it is loaded; null if its source lacks it. */
export async function loadPicture(reach: Reach | undefined, url: string): Promise<HTMLImageElement | null> {
  try {
    return await loadSurely(reach, () => openPicture(url));
  } catch {
    return null;
  }
}

function openPicture(url: string): Promise<HTMLImageElement> {
  return new Promise((resolve, reject) => {
    const picture = new Image();
    picture.onload = () => resolve(picture);
    picture.onerror = () => reject(new Error(`${url} could not be loaded`));
    picture.src = url;
  });
}
