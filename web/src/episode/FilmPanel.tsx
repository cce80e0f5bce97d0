/** What stands beside the screens: a step's words, what was read, its times, its model calls, the log. */
import "./filmPanel.css";
import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { CallsPanel } from "./CallsPanel";
import type { FilmSource, LiveState } from "./filmSource";
import { chooseTab, type FilmState, type Tab, TABS } from "./filmState";
import { LogPanel } from "./LogPanel";
import { ScreenPanel } from "./ScreenPanel";
import { StageGantt } from "./StageGantt";
import { StepPanel } from "./StepPanel";
import type { EpisodeReport } from "./types";

interface PanelProps {
  readonly report: EpisodeReport;
  readonly film: FilmState;
  readonly source: FilmSource;
  readonly live: LiveState | undefined;
}

const TAB_WORDS: Readonly<Record<Tab, string>> = {
  step: "Step",
  screen: "Screen",
  timing: "Timing",
  calls: "Model calls",
  log: "Log",
};

/** Show the tabs and what the chosen one holds. */
export function FilmPanel(props: PanelProps): JSX.Element {
  const { film } = props;
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const now = TABS.indexOf(film.tab);
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = TABS[(to + TABS.length) % TABS.length] as Tab;
    chooseTab(tab);
    list.current?.querySelector<HTMLElement>(`#film-tab-${tab}`)?.focus();
  };
  const counts: Partial<Record<Tab, number>> = { screen: film.step.elements.length, calls: film.step.calls.length };
  return (
    <div class="film-panel">
      <div class="film-tabs" role="tablist" aria-label="About the step" ref={list} onKeyDown={move}>
        {TABS.map((tab, index) => (
          <button
            key={tab}
            id={`film-tab-${tab}`}
            type="button"
            role="tab"
            class="film-tab"
            aria-selected={film.tab === tab}
            aria-controls="film-tab-panel"
            tabIndex={film.tab === tab ? 0 : -1}
            title={`${TAB_WORDS[tab]} (${index + 1})`}
            onClick={() => chooseTab(tab)}
          >
            {TAB_WORDS[tab]}
            {counts[tab] ? <span class="film-tab-count">{counts[tab]}</span> : null}
          </button>
        ))}
      </div>
      <div id="film-tab-panel" class="film-tab-panel" role="tabpanel" aria-labelledby={`film-tab-${film.tab}`} tabIndex={0}>
        <PanelContent {...props} />
      </div>
    </div>
  );
}

function PanelContent({ report, film, source, live }: PanelProps): JSX.Element {
  switch (film.tab) {
    case "screen":
      return <ScreenPanel film={film} />;
    case "timing":
      return <StageGantt report={report} film={film} live={live} />;
    case "calls":
      return <CallsPanel film={film} source={source} />;
    case "log":
      return <LogPanel report={report} film={film} source={source} />;
    default:
      return <StepPanel report={report} film={film} />;
  }
}
