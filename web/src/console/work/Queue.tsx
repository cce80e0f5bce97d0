/** The open batches in the order in which phones get to them. */

import type { JSX } from "preact";
import type { BatchStatus } from "../data/types";
import { BatchRow } from "./BatchRow";

export function Queue({ batches, put }: { batches: readonly BatchStatus[]; put: (batch: BatchStatus) => void }): JSX.Element {
  return (
    <section class="batch-section" aria-labelledby="queue-title">
      <h2 id="queue-title">Queue</h2>
      {batches.length === 0 && <p class="quiet">Nothing waits. What is submitted starts at once.</p>}
      <ol class="batch-list panel">
        {batches.map((batch) => (
          <BatchRow key={batch.id} batch={batch} put={put} />
        ))}
      </ol>
    </section>
  );
}
