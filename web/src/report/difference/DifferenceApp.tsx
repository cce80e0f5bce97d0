/** The report of two runs beside each other: the list of their tasks, one task step by step, and the films of both. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { EmptyState } from "../../components/EmptyState";
import { address, linkTo } from "../../state/address";
import type { DifferenceReport } from "../../api/schema";
import { Loaded } from "../App";
import { EpisodePage, type RunPlace } from "../EpisodePage";
import { ReportHead, type Crumb } from "../ReportHead";
import { usePart } from "../usePart";
import { DifferencePage } from "./DifferencePage";
import { PairPage } from "./PairPage";

export type Side = "left" | "right";

/** Return where the payloads and pictures of one of the two runs are. */
export function placeOfSide(report: DifferenceReport, side: Side): RunPlace {
  const folder = side === "left" ? report.pictures_before : report.pictures_after;
  return { parts: `${side}/`, pictures: report.is_trimmed ? null : folder };
}

let lastListPlace = linkTo([]);

/** Show the page that the address names. */
export function DifferenceApp(): JSX.Element {
  const { path, choices } = address.value;
  const found = usePart<DifferenceReport>("diff");
  const name = found.state === "ready" ? `${found.part.before} and ${found.part.after}` : "Two runs";
  useEffect(() => {
    if (!path.length) lastListPlace = linkTo(path, choices);
    document.title = `${path.at(-1) ?? name} \u00b7 Manyhands`;
  }, [path, name, choices]);
  const crumbs: Crumb[] = path.length ? [{ title: name, href: lastListPlace }, { title: path.at(-1) ?? "" }] : [{ title: name }];
  return (
    <>
      <ReportHead crumbs={crumbs} />
      <Loaded loading={found}>{(report) => <Page report={report} path={path} />}</Loaded>
    </>
  );
}

function Page({ report, path }: { report: DifferenceReport; path: readonly string[] }): JSX.Element {
  const [kind, second = "", third = ""] = path;
  if (kind === undefined) return <DifferencePage report={report} />;
  if ((kind === "left" || kind === "right") && second === "episodes") {
    return <EpisodePage key={`${kind} ${third}`} id={third} place={placeOfSide(report, kind)} />;
  }
  const pair = report.tasks.find((one) => one.task === second);
  if (kind === "tasks" && pair) return <PairPage key={second} report={report} pair={pair} />;
  return (
    <main>
      <h1 class="unseen">No such page</h1>
      <EmptyState icon="search" title="The report has no such page" action={<a href={linkTo([])}>All tasks</a>}>
        The address names something that neither of the two runs has.
      </EmptyState>
    </main>
  );
}
