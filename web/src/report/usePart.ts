/** Load a payload of the report for a component. */
import { useEffect, useState } from "preact/hooks";
import { loadPart } from "./store";

export type Loading<Part> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly part: Part }
  | { readonly state: "failed"; readonly error: Error };

/** Return the payload of a name, or how far it is. */
export function usePart<Part>(name: string): Loading<Part> {
  const [found, setFound] = useState<{ name: string; loading: Loading<Part> }>({ name, loading: { state: "loading" } });
  useEffect(() => {
    let isWanted = true;
    const settle = (loading: Loading<Part>): void => {
      if (isWanted) setFound({ name, loading });
    };
    loadPart<Part>(name).then(
      (part) => settle({ state: "ready", part }),
      (error: unknown) => settle({ state: "failed", error: error instanceof Error ? error : new Error(String(error)) }),
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  return found.name === name ? found.loading : { state: "loading" };
}
