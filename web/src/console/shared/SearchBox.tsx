/** A field that narrows a list while a person types. */

import "./search_box.css";
import type { JSX } from "preact";
import { Icon } from "../../components/icons";

export function SearchBox(props: {
  value: string;
  label: string;
  placeholder: string;
  onInput: (words: string) => void;
}): JSX.Element {
  return (
    <label class="search-box">
      <Icon name="search" />
      <span class="unseen">{props.label}</span>
      <input
        class="input"
        type="search"
        placeholder={props.placeholder}
        value={props.value}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </label>
  );
}
