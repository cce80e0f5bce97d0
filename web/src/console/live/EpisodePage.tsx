/** An episode: its film, which grows while the episode runs, and what a person can do with it. */

import "./live.css";
import { useMemo } from "preact/hooks";
import type { JSX } from "preact";
import { EpisodeFilm, type LiveState, type PersonNow } from "../../episode";
import { connection } from "../data/connection";
import { get, part } from "../data/requests";
import { useResource } from "../data/resource";
import { ownName } from "../data/session";
import type { BatchStatus, EpisodeControl, ModelWriting } from "../data/types";
import { allPhones, wallVersion } from "../data/wall_store";
import { PageHead } from "../shared/PageHead";
import { ProblemNote } from "../shared/ProblemNote";
import { places } from "../shell/routes";
import { useControl } from "./episode_control";
import { useLiveReport } from "./episode_report";
import { serviceSource } from "./episode_source";
import { useWriting } from "./episode_writing";
import { EpisodeTools } from "./EpisodeTools";
import { TakenPhone } from "./TakenPhone";

export function EpisodePage({ id }: { id: string }): JSX.Element {
  const live = useLiveReport(id);
  const control = useControl(id);
  const source = useMemo(() => serviceSource(id), [id]);
  const report = live.report.value;
  const batchId = (report?.episode.task ?? id).split(".")[0] ?? "";
  const batch = useResource<BatchStatus | null>(
    { load: (signal) => (batchId ? get(`/batches/${part(batchId)}`, {}, signal) : Promise.resolve(null)) },
    [batchId],
  );
  const state = control.state.value;
  const isRunning = report !== null && report.episode.ended_at == null;
  const writing = useWriting(id, isRunning);
  return (
    <div class="live-page">
      <Crumbs batch={batchId} name={batch.value.value?.name ?? ""} task={report?.episode.task ?? ""} />
      {live.problem.value && <ProblemNote problem={live.problem.value} />}
      {report !== null && (
        <EpisodeFilm
          report={report}
          source={source}
          live={isRunning ? liveStateOf(id, writing.value, state) : undefined}
          surface={state?.phase === "taken_over" && state.by === ownName() ? <TakenPhone control={control} /> : undefined}
          tools={<EpisodeTools control={control} owner={batch.value.value?.owner} />}
        />
      )}
    </div>
  );
}

function liveStateOf(episode: string, writing: ModelWriting | null, control: EpisodeControl | null): LiveState {
  void wallVersion.value;
  const phone = allPhones().find((one) => one.episode === episode);
  const since = phone?.stage_since ?? phone?.step_since ?? Date.now() / 1000;
  const stages = (phone?.stages ?? []).map((stage) => ({ stage, step: phone?.step ?? 0, since }));
  return { connection: connection.value === "lost" ? "lost" : "open", stages, writing, person: personOf(control) };
}

function personOf(control: EpisodeControl | null): PersonNow | null {
  if (control?.phase !== "taken_over" && control?.phase !== "paused") return null;
  const { by, since, ends_at: endsAt } = control;
  return { isPaused: control.phase === "paused", name: by ?? "", isReader: by === ownName(), since: since ?? null, endsAt: endsAt ?? null, isByHand: control.is_by_hand };
}

function Crumbs({ batch, name, task }: { batch: string; name: string; task: string }): JSX.Element {
  const crumbs = [{ name: "Work", href: places.work() }];
  if (batch) crumbs.push({ name: name || batch, href: places.batch(batch) });
  if (task) crumbs.push({ name: task, href: places.task(task) });
  return <PageHead crumbs={crumbs} title="" />;
}
