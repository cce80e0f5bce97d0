/** Looks for phones, batches, tasks and pages whose texts hold what a person typed. The service searches all work. */

import type { IconName } from "../../components/icons";
import { get } from "../data/requests";
import type { BatchStatus, ListPage, TaskStatus } from "../data/types";
import { allPhones } from "../data/wall_store";
import { searchPhones } from "../fleet/fleet_view";
import { taskWords } from "../shared/states";
import { places } from "./routes";

export interface FoundPlace {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly about: string;
}

const MOST_OF_A_KIND = 6;
const PAGES: readonly FoundPlace[] = [
  { href: places.fleet(), icon: "phone", name: "Fleet", about: "all phones" },
  { href: places.work(), icon: "layers", name: "Work", about: "batches and the queue" },
  { href: places.submit(), icon: "plus", name: "Submit a batch", about: "goals or YAML" },
  { href: places.schedules(), icon: "clock", name: "Schedules", about: "batches at set times" },
  { href: places.attention(), icon: "warning", name: "Attention", about: "what needs a person" },
  { href: places.health(), icon: "chart", name: "Health", about: "cost, models, perception" },
];

/** Tells what is found: at once what the page knows, then also what the service knows. */
export async function findPlaces(
  words: string,
  signal: AbortSignal,
  tell: (places: readonly FoundPlace[]) => void,
): Promise<void> {
  const asked = words.trim().toLowerCase();
  const pages = PAGES.filter((page) => holds(asked, page.name, page.about));
  if (asked === "") return tell(pages);
  const phones = searchPhones(allPhones(), asked)
    .slice(0, MOST_OF_A_KIND)
    .map((phone): FoundPlace => {
      const model = phone.labels?.["model"] ?? "";
      return { href: places.phone(phone.serial), icon: "phone", name: phone.serial, about: `${model} · ${phone.phase}` };
    });
  tell([...phones, ...pages]);
  try {
    const [batches, tasks] = await Promise.all([findBatches(asked, signal), findTasks(asked, signal)]);
    if (!signal.aborted) tell([...phones, ...batches, ...tasks, ...pages]);
  } catch {
    // The phones and pages in the list stay; the banner tells of a lost connection.
  }
}

function holds(asked: string, ...texts: readonly string[]): boolean {
  return texts.some((text) => text.toLowerCase().includes(asked));
}

async function findBatches(asked: string, signal: AbortSignal): Promise<FoundPlace[]> {
  const page = await get<ListPage<BatchStatus>>("/batches", { text: asked, limit: MOST_OF_A_KIND }, signal);
  return page.items.map((batch) => ({
    href: places.batch(batch.id),
    icon: "layers",
    name: batch.name || batch.id,
    about: `${batch.id} · ${batch.owner} · ${batch.phase}`,
  }));
}

async function findTasks(asked: string, signal: AbortSignal): Promise<FoundPlace[]> {
  const query = { text: asked, newest_first: true, limit: MOST_OF_A_KIND };
  return (await get<ListPage<TaskStatus>>("/tasks", query, signal)).items.map(placeOf);
}

function placeOf(task: TaskStatus): FoundPlace {
  return { href: places.task(task.id), icon: "list", name: task.goal, about: `${task.id} · ${taskWords(task)}` };
}
