/** The one navigation: four sections, search, and who is signed in. On a phone it stands at the bottom. */

import "./navigation.css";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { KeyHelp } from "../../components/KeyHelp";
import { Icon, type IconName } from "../../components/icons";
import { address } from "../../state/address";
import { formatCount } from "../../state/format";
import { allPhones } from "../data/wall_store";
import { attention } from "./attention_count";
import { PersonMenu } from "./PersonMenu";
import { places, sectionOf, type Section } from "./routes";
import { openSearch } from "./SearchPalette";
import { Wordmark } from "./Wordmark";

interface Entry {
  readonly section: Section;
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
}

const ENTRIES: readonly Entry[] = [
  { section: "fleet", name: "Fleet", icon: "phone", href: places.fleet() },
  { section: "work", name: "Work", icon: "layers", href: places.work() },
  { section: "attention", name: "Attention", icon: "warning", href: places.attention() },
  { section: "health", name: "Health", icon: "chart", href: places.health() },
];

export function Navigation(): JSX.Element {
  const present = sectionOf(address.value.path);
  return (
    <header class="navigation">
      <a class="navigation-home" href={places.fleet()} aria-label="Manyhands, the fleet">
        <Wordmark />
      </a>
      <button type="button" class="navigation-search" onClick={openSearch}>
        <Icon name="search" />
        <span>Search</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      <nav class="navigation-list" aria-label="Sections">
        {ENTRIES.map((entry) => (
          <a
            key={entry.section}
            class="navigation-entry"
            href={entry.href}
            aria-current={entry.section === present ? "page" : undefined}
          >
            <Icon name={entry.icon} />
            <span class="navigation-name">{entry.name}</span>
            <Count section={entry.section} />
          </a>
        ))}
      </nav>
      <div class="navigation-end">
        <Button class="navigation-find" kind="quiet" icon="search" label="Search" onClick={openSearch} />
        <KeyHelp />
        <PersonMenu />
      </div>
    </header>
  );
}

function Count({ section }: { section: Section }): JSX.Element | null {
  if (section === "attention") {
    const open = attention.value?.open ?? 0;
    if (open === 0) return null;
    return (
      <span class="navigation-count navigation-count-bad">
        {formatCount(open)}
        <span class="unseen"> need a person</span>
      </span>
    );
  }
  if (section !== "fleet") return null;
  const phones = allPhones();
  if (phones.length === 0) return null;
  return (
    <span class="navigation-count">
      {formatCount(phones.length)}
      <span class="unseen"> phones</span>
    </span>
  );
}
