/** Finds phones, batches, tasks and pages by a few letters, from everywhere: `/` opens it. */

import "./search_palette.css";
import { signal, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { useKeys, type Key } from "../../components/keys";
import { address, go } from "../../state/address";
import { findPlaces, type FoundPlace } from "./search";

const isOpen = signal(false);
const PAUSE_MS = 120;

const SECTION_KEYS: readonly Key[] = [
  { key: "1", does: "Fleet", run: () => go(["fleet"]) },
  { key: "2", does: "Work", run: () => go(["work"]) },
  { key: "3", does: "Attention", run: () => go(["attention"]) },
  { key: "4", does: "Health", run: () => go(["health"]) },
  { key: "n", does: "submit a batch", run: () => go(["work", "submit"]) },
];

export function openSearch(): void {
  isOpen.value = true;
}

export function SearchPalette(): JSX.Element | null {
  // The film has keys of its own for digits.
  const isFilm = address.value.path[0] === "episodes";
  useKeys("Everywhere", [{ key: "/", does: "search", run: openSearch }, ...(isFilm ? [] : SECTION_KEYS)]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      openSearch();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return isOpen.value ? <OpenPalette /> : null;
}

function OpenPalette(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const words = useSignal("");
  const found = useSignal<readonly FoundPlace[]>([]);
  const chosen = useSignal(0);

  useLayoutEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    const cut = new AbortController();
    const timer = setTimeout(() => {
      void findPlaces(words.value, cut.signal, (places) => {
        found.value = places;
        chosen.value = 0;
      });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      cut.abort();
    };
  }, [words.value]);

  const close = (): void => {
    isOpen.value = false;
  };
  const onKey = (event: KeyboardEvent): void => {
    const count = found.value.length;
    if (event.key === "ArrowDown" && count > 0) chosen.value = (chosen.value + 1) % count;
    else if (event.key === "ArrowUp" && count > 0) chosen.value = (chosen.value + count - 1) % count;
    else if (event.key === "Enter") {
      const place = found.value[chosen.value];
      if (place === undefined) return;
      location.hash = place.href;
      close();
    } else return;
    event.preventDefault();
  };
  const selected = found.value[chosen.value];
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Search"
      onClose={close}
      onClick={(event) => {
        if (event.target === dialog.current) close();
      }}
    >
      <div class="palette-field">
        <Icon name="search" />
        <input
          class="palette-input"
          type="text"
          role="combobox"
          aria-label="Search phones, batches, tasks and pages"
          aria-expanded="true"
          aria-controls="palette-found"
          aria-activedescendant={selected ? `palette-${chosen.value}` : undefined}
          placeholder="Phones, batches, tasks, pages"
          autocomplete="off"
          spellcheck={false}
          autofocus
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
          onKeyDown={onKey}
        />
        <kbd>Esc</kbd>
      </div>
      <ul class="palette-found" id="palette-found" role="listbox" aria-label="What was found">
        {found.value.map((place, number) => (
          <li
            key={place.href}
            id={`palette-${number}`}
            role="option"
            aria-selected={number === chosen.value}
            class="palette-entry"
            onPointerMove={() => (chosen.value = number)}
            onClick={() => {
              location.hash = place.href;
              close();
            }}
          >
            <Icon name={place.icon} />
            <span class="clip">{place.name}</span>
            <span class="palette-about clip">{place.about}</span>
          </li>
        ))}
      </ul>
      {words.value !== "" && found.value.length === 0 && (
        <p class="palette-nothing quiet">Nothing has these letters. Tasks are searched by goal, id, phone and reason; batches by name, id, owner and tag.</p>
      )}
    </dialog>
  );
}
