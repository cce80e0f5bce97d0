/** Which tasks a person wants to see: filters from the address, failed ones first, then slow ones. */
import { choice, choiceList } from "../../state/address";
import type { FilterOption } from "../../components/FilterMenu";
import type { ReportedTask } from "../../api/schema";
import { endingWords, VERDICT_ORDER } from "../words";

/** The choices of the address that leave tasks out. */
export const FILTERS = ["verdict", "ending", "app", "phone", "tag", "cause", "q"] as const;

type Values = (task: ReportedTask) => readonly string[];

const VALUES: Readonly<Record<"verdict" | "ending" | "app" | "phone" | "tag" | "cause", Values>> = {
  verdict: (task) => [task.verdict],
  ending: (task) => [task.row.finished],
  app: (task) => task.apps,
  phone: (task) => phonesOf(task),
  tag: (task) => task.tags,
  cause: (task) => (task.cause ? [task.cause] : []),
};

function phonesOf(task: ReportedTask): readonly string[] {
  const found = new Set(task.episodes.map((one) => one.phone).filter(Boolean));
  if (task.row.phone) found.add(task.row.phone);
  return [...found];
}

/** Return tasks in the order in which they matter: failed, undecided, cancelled, done; among these the slow ones first. */
export function byImportance(tasks: readonly ReportedTask[]): readonly ReportedTask[] {
  return [...tasks].sort(
    (a, b) => VERDICT_ORDER.indexOf(a.verdict) - VERDICT_ORDER.indexOf(b.verdict) || b.duration_s - a.duration_s,
  );
}

/** Return the tasks that the address asks for. `except`: a filter that does not count. */
export function filterTasks(tasks: readonly ReportedTask[], except?: keyof typeof VALUES): readonly ReportedTask[] {
  const wanted = (Object.keys(VALUES) as (keyof typeof VALUES)[])
    .filter((name) => name !== except)
    .map((name) => [VALUES[name], new Set(choiceList(name))] as const)
    .filter(([, values]) => values.size > 0);
  const words = choice("q").toLowerCase().split(/\s+/).filter(Boolean);
  return tasks.filter(
    (task) =>
      wanted.every(([valuesOf, values]) => valuesOf(task).some((one) => values.has(one))) && hasWords(task, words),
  );
}

function hasWords(task: ReportedTask, words: readonly string[]): boolean {
  if (!words.length) return true;
  const text = [
    task.row.id,
    task.goal,
    task.row.reason,
    task.row.answer ?? "",
    ...phonesOf(task),
    ...task.apps,
    ...task.tags,
    ...task.episodes.map((one) => one.id),
    ...task.row.unmet.map((one) => `${one.expected} ${one.found}`),
  ]
    .join("\n")
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Return the values of a filter with their counts, the most frequent first. */
export function optionsOf(tasks: readonly ReportedTask[], name: keyof typeof VALUES): FilterOption[] {
  const counts = new Map<string, number>();
  for (const task of tasks) for (const value of VALUES[name](task)) counts.set(value, (counts.get(value) ?? 0) + 1);
  const title = name === "ending" ? endingWords : (value: string) => value;
  return [...counts]
    .sort(([a, m], [b, n]) => n - m || a.localeCompare(b, undefined, { numeric: true }))
    .map(([value, count]) => ({ value, title: title(value), count }));
}

/** Return what became of a task in one line: why it failed, or its answer. */
export function storyOf(task: ReportedTask): string {
  const { row } = task;
  if (task.verdict === "done") return row.answer ?? "";
  const [unmet] = row.unmet;
  const check = unmet ? `expected ${unmet.expected}, found ${unmet.found}` : "";
  if (row.finished === "finished") return check ? `Said it was done, but ${check}` : row.reason || "The check does not hold";
  return [row.reason || endingWords(row.finished), check].filter(Boolean).join("; ");
}

/** Return the address of the episode that tells most of a task, at the step at which to look. */
export function placeOf(task: ReportedTask): { path: string[]; choices: { step?: number } } | null {
  const last = task.episodes.at(-1);
  if (!last) return null;
  return { path: ["episodes", last.id], choices: last.failure_step == null ? {} : { step: last.failure_step } };
}
