/** Filters above the tasks: verdict, ending, app, phone, tag, text. Every choice is in the address. */
import "./filters.css";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { FilterMenu } from "../../components/FilterMenu";
import { SearchField } from "../../components/SearchField";
import { choice, choiceList, choose, chooseList } from "../../state/address";
import { formatCount } from "../../state/format";
import type { ReportedTask } from "../../api/schema";
import { VERDICT_ORDER, VERDICTS, type Verdict } from "../words";
import { FILTERS, filterTasks, optionsOf } from "./taskList";

/** Leave no task out. */
export function clearFilters(): void {
  choose(Object.fromEntries(FILTERS.map((name) => [name, ""])));
}

/** Return whether the address leaves tasks out. */
export function isFiltered(): boolean {
  return FILTERS.some((name) => choice(name) !== "");
}

/** Show the filters of a run's tasks. */
export function TaskFilters({ tasks }: { tasks: readonly ReportedTask[] }): JSX.Element {
  const menus = [
    ["ending", "Ending"],
    ["app", "App"],
    ["phone", "Phone"],
    ["tag", "Tag"],
  ] as const;
  return (
    <div class="filters">
      <VerdictSwitch tasks={filterTasks(tasks, "verdict")} />
      <SearchField name="q" label="Search tasks" placeholder="Goal, reason, phone, id" />
      {menus.map(([name, title]) => (
        <FilterMenu key={name} name={name} title={title} options={optionsOf(filterTasks(tasks, name), name)} />
      ))}
      {isFiltered() && (
        <Button kind="quiet" icon="cross" onClick={clearFilters}>
          Clear
        </Button>
      )}
    </div>
  );
}

function VerdictSwitch({ tasks }: { tasks: readonly ReportedTask[] }): JSX.Element {
  const chosen = choiceList("verdict");
  const counts = new Map<Verdict, number>();
  for (const task of tasks) counts.set(task.verdict, (counts.get(task.verdict) ?? 0) + 1);
  const shown = VERDICT_ORDER.filter((verdict) => counts.has(verdict) || chosen.includes(verdict));
  return (
    <div class="verdicts" role="group" aria-label="Verdict">
      <button type="button" class="verdict" aria-pressed={chosen.length === 0} onClick={() => chooseList("verdict", [])}>
        All <span class="num">{formatCount(tasks.length)}</span>
      </button>
      {shown.map((verdict) => (
        <button
          key={verdict}
          type="button"
          class="verdict"
          aria-pressed={chosen.includes(verdict)}
          onClick={() => chooseList("verdict", chosen.length === 1 && chosen[0] === verdict ? [] : [verdict])}
        >
          <i style={{ background: `var(${VERDICTS[verdict].fill})` }} />
          {VERDICTS[verdict].title} <span class="num">{formatCount(counts.get(verdict) ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}
