/** What stands beside the screens: a step's words, what was read, its times, its model calls, the log. */
import "./filmPanel.css";
import type { JSX } from "preact";
import { Tabs } from "../components/Tabs";
import { CallsPanel } from "./CallsPanel";
import type { FilmSource, LiveState } from "./filmSource";
import { chooseTab, type FilmState, type Tab, TAB_WORDS, TABS } from "./filmState";
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

/** Show the tabs and what the chosen one holds. */
export function FilmPanel(props: PanelProps): JSX.Element {
  const { film } = props;
  const counts: Partial<Record<Tab, number>> = { screen: film.step.elements.length, calls: film.step.calls.length };
  return (
    <div class="film-panel">
      <div class="film-tabs">
        <Tabs
          label="About the step"
          panel="film-tab-panel"
          current={film.tab}
          onChange={(id) => chooseTab(TABS.find((tab) => tab === id) ?? "step")}
          tabs={TABS.map((tab) => {
            const count = counts[tab];
            return { id: tab, title: TAB_WORDS[tab], ...(count ? { count } : {}) };
          })}
        />
      </div>
      <div id="film-tab-panel" class="film-tab-panel" role="tabpanel" aria-label={TAB_WORDS[film.tab]} tabIndex={0}>
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
      return <StepPanel report={report} film={film} person={live?.person} />;
  }
}
