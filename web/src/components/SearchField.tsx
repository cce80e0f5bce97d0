/** A field that searches: what a person types is in the address. */
import "./field.css";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { choice, choose } from "../state/address";
import { Icon } from "./icons";
import { useKeys } from "./keys";

/** Show the field for the choice `name`. The key `/` leads to it. */
export function SearchField({ name, label, placeholder }: { name: string; label: string; placeholder?: string }): JSX.Element {
  const input = useRef<HTMLInputElement>(null);
  useKeys("Search", [{ key: "/", does: "search", run: () => input.current?.focus() }]);
  return (
    <label class="search">
      <span class="unseen">{label}</span>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        class="text-field"
        value={choice(name)}
        placeholder={placeholder ?? label}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => choose({ [name]: event.currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && (choose({ [name]: "" }), event.currentTarget.blur())}
      />
    </label>
  );
}
