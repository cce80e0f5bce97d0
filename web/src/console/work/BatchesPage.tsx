/** The queue of open batches, and the batches that have ended. */

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { choice, choose } from "../../state/address";
import { formatCount, formatCounted } from "../../state/format";
import { get } from "../data/requests";
import { useResource } from "../data/resource";
import type { BatchStatus, ListPage, ServiceEvent } from "../data/types";
import { useAction } from "../shared/action";
import { CopyLine } from "../shared/CopyLine";
import { ProblemNote } from "../shared/ProblemNote";
import { SearchBox } from "../shared/SearchBox";
import { places } from "../shell/routes";
import { BatchRow } from "./BatchRow";
import { orderQueue } from "./queue_order";
import { Queue } from "./Queue";
import { WorkTabs } from "./WorkTabs";

const PART = 50;

interface Lists {
  readonly queue: readonly BatchStatus[];
  readonly ended: readonly BatchStatus[];
  readonly cursor: string | null;
}

const changesBatches = (event: ServiceEvent): boolean => event.batch != null && event.kind !== "task.step";

async function loadLists(signal: AbortSignal): Promise<Lists> {
  const list = (phase: string, limit: number): Promise<ListPage<BatchStatus>> =>
    get("/batches", { phase, limit, tag: choice("tag"), owner: choice("owner") }, signal);
  const [open, paused, ended, cancelled] = await Promise.all([
    list("open", 1000),
    list("paused", 1000),
    list("ended", PART),
    list("cancelled", PART),
  ]);
  const all = [...ended.items, ...cancelled.items].sort((a, b) => b.submitted_at - a.submitted_at);
  return { queue: orderQueue([...open.items, ...paused.items]), ended: all, cursor: ended.next_cursor ?? null };
}

/** Returns the newest of all batches whose texts hold these words. */
async function searchAll(words: string, signal: AbortSignal): Promise<readonly BatchStatus[]> {
  if (words === "") return [];
  const query = { text: words, limit: PART, tag: choice("tag"), owner: choice("owner") };
  return (await get<ListPage<BatchStatus>>("/batches", query, signal)).items;
}

export function BatchesPage(): JSX.Element {
  const lists = useResource<Lists>({ load: loadLists, isChangedBy: changesBatches }, [choice("tag"), choice("owner")]);
  const older = useSignal<readonly BatchStatus[]>([]);
  const olderCursor = useSignal<string | null | undefined>(undefined);
  const words = choice("q").trim();
  const matches = useResource<readonly BatchStatus[]>({ load: (signal) => searchAll(words, signal), isChangedBy: changesBatches }, [words]);
  const loaded = lists.value.value;
  const cursor = olderCursor.value === undefined ? (loaded?.cursor ?? null) : olderCursor.value;
  const more = useAction(async () => {
    const page = await get<ListPage<BatchStatus>>("/batches", { phase: "ended", limit: PART, cursor });
    older.value = [...older.value, ...page.items];
    olderCursor.value = page.next_cursor ?? null;
  });
  const put = (batch: BatchStatus): void => {
    if (loaded === null) return;
    const swap = (one: BatchStatus): BatchStatus => (one.id === batch.id ? batch : one);
    lists.put({ ...loaded, queue: orderQueue(loaded.queue.map(swap)), ended: loaded.ended.map(swap) });
    lists.reload();
  };
  if (loaded === null) {
    return (
      <>
        <WorkTabs tab="batches" />
        {lists.problem.value && <ProblemNote problem={lists.problem.value} />}
      </>
    );
  }
  const known = new Set(loaded.ended.map((batch) => batch.id));
  const queue = searchBatches(loaded.queue, words);
  const further = [...older.value, ...(matches.value.value ?? []).filter((batch) => batch.phase === "ended" || batch.phase === "cancelled")];
  const unique = new Map(further.filter((batch) => !known.has(batch.id)).map((batch) => [batch.id, batch]));
  const ended = searchBatches([...loaded.ended, ...unique.values()], words);
  const isNothing = loaded.queue.length === 0 && loaded.ended.length === 0 && !choice("tag") && !choice("owner");
  return (
    <>
      <WorkTabs tab="batches" about={<QueueWords queue={loaded.queue} />} />
      {lists.problem.value && <ProblemNote problem={lists.problem.value} />}
      {isNothing ? (
        <EmptyState
          icon="layers"
          title="No batch yet"
          action={<CopyLine text='manyhands submit --goal "Turn on dark mode." --name try' />}
        >
          A batch is a list of goals in plain language. <a href={places.submit()}>Submit one here</a>, or from a terminal:
        </EmptyState>
      ) : (
        <>
          <div class="toolbar">
            <SearchBox value={choice("q")} label="Search batches" placeholder="Name, id, owner, tag" onInput={(q) => choose({ q })} />
            {(choice("tag") || choice("owner")) && (
              <Button icon="cross" onClick={() => choose({ tag: "", owner: "" })}>
                {choice("tag") ? `tag ${choice("tag")}` : `of ${choice("owner")}`}
              </Button>
            )}
          </div>
          <Queue batches={queue} put={put} />
          <section class="batch-section" aria-labelledby="ended-title">
            <h2 id="ended-title">Ended</h2>
            {ended.length === 0 && <p class="quiet">{words ? "No batch that has ended has these words." : "No batch has ended yet."}</p>}
            <ul class="batch-list panel">
              {ended.map((batch) => (
                <BatchRow key={batch.id} batch={batch} put={put} />
              ))}
            </ul>
            {cursor !== null && words === "" && (
              <Button onClick={() => void more.run()} disabled={more.isRunning.value}>
                Show older ones
              </Button>
            )}
            {more.problem.value && <ProblemNote problem={more.problem.value} />}
          </section>
        </>
      )}
    </>
  );
}

function QueueWords({ queue }: { queue: readonly BatchStatus[] }): JSX.Element {
  const waiting = queue.reduce((sum, batch) => sum + batch.waiting, 0);
  const running = queue.reduce((sum, batch) => sum + batch.running, 0);
  return (
    <>
      {formatCounted(queue.length, "open batch", "open batches")} · {formatCounted(running, "task")} running · {formatCount(waiting)} waiting
    </>
  );
}

function searchBatches(batches: readonly BatchStatus[], words: string): readonly BatchStatus[] {
  const asked = words.toLowerCase();
  if (asked === "") return batches;
  return batches.filter((batch) => [batch.id, batch.name, batch.owner, ...batch.tags].join("\n").toLowerCase().includes(asked));
}
