/** The report: the page of the run, and the film of each episode. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Button } from "../components/Button";
import { EmptyState } from "../components/EmptyState";
import { address, linkTo } from "../state/address";
import { isAway } from "../state/reach";
import type { RunReport } from "../api/schema";
import { EpisodePage } from "./EpisodePage";
import { ReportHead } from "./ReportHead";
import { RunPage } from "./run/RunPage";
import { MissingPart, reachReport } from "./store";
import { usePart, type Loading } from "./usePart";

let lastRunPlace = linkTo([]);

/** Show the page that the address names. */
export function App(): JSX.Element {
  const { path, choices } = address.value;
  const run = usePart<RunReport>("run");
  const name = run.state === "ready" ? run.part.run : "Run";
  const episode = path[0] === "episodes" ? path[1] : undefined;
  useEffect(() => {
    if (!episode) lastRunPlace = linkTo(path, choices);
    document.title = episode ? `${episode} · ${name}` : `${name} · Manyhands`;
  }, [episode, name, choices]);
  if (episode) {
    return (
      <>
        <ReportHead crumbs={[{ title: name, href: lastRunPlace }, { title: episode }]} />
        <EpisodePage key={episode} id={episode} place={{ parts: "", pictures: run.state === "ready" && run.part.is_trimmed ? null : "" }} />
      </>
    );
  }
  return (
    <>
      <ReportHead crumbs={[{ title: name }]} />
      <Loaded loading={run}>{(report) => <RunPage report={report} />}</Loaded>
    </>
  );
}

/** Show a payload once it is there, and until then how far it is. */
export function Loaded<Part>({ loading, children }: { loading: Loading<Part>; children: (part: Part) => JSX.Element }): JSX.Element {
  if (loading.state === "ready") return children(loading.part);
  if (loading.state === "loading" && isAway(reachReport)) {
    return (
      <main>
        <h1 class="unseen">The report</h1>
        <EmptyState icon="warning" title="The report's files cannot be reached">
          <p>The page tries again by itself, and goes on as soon as they can be read.</p>
        </EmptyState>
      </main>
    );
  }
  if (loading.state === "loading") {
    return (
      <p class="unseen" role="status">
        Loading
      </p>
    );
  }
  const isMissing = loading.error instanceof MissingPart;
  return (
    <main>
      <h1 class="unseen">The report</h1>
      <EmptyState
        icon="warning"
        title={isMissing ? "This part of the report is missing" : "This part of the report cannot be read"}
        action={<Button onClick={() => location.reload()}>Try again</Button>}
      >
        <p class="said">{loading.error.message}</p>
        <p>Keep the folder of the report beside this page, or make the report again: manyhands report RUN</p>
      </EmptyState>
    </main>
  );
}
