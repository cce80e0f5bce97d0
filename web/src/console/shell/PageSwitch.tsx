/** Shows the page that the address names. */

import { useEffect } from "preact/hooks";
import type { ComponentChildren, JSX } from "preact";
import { EmptyState } from "../../components/EmptyState";
import { address } from "../../state/address";
import { AttentionPage } from "../attention/AttentionPage";
import { FleetPage } from "../fleet/FleetPage";
import { HealthPage } from "../health/HealthPage";
import { EpisodePage } from "../live/EpisodePage";
import { PhonePage } from "../phone/PhonePage";
import { PageHead } from "../shared/PageHead";
import { BatchesPage } from "../work/BatchesPage";
import { BatchPage } from "../work/BatchPage";
import { NewSchedulePage } from "../work/NewSchedulePage";
import { SchedulesPage } from "../work/SchedulesPage";
import { SubmitPage } from "../work/SubmitPage";
import { TaskPage } from "../work/TaskPage";
import { pageName } from "./attention_count";
import { places } from "./routes";

interface ShownPage {
  readonly name: string;
  readonly page: () => ComponentChildren;
}

export function PageSwitch(): JSX.Element {
  const path = address.value.path;
  const shown = choosePage(path);
  useEffect(() => {
    pageName.value = shown.name;
  }, [shown.name]);
  useEffect(() => {
    scrollTo({ top: 0 });
  }, [path.join("/")]);
  return <>{shown.page()}</>;
}

function choosePage(path: readonly string[]): ShownPage {
  const [first = "fleet", second = ""] = path;
  switch (first) {
    case "fleet":
      return { name: "Fleet", page: () => <FleetPage /> };
    case "phones":
      return { name: second, page: () => <PhonePage key={second} serial={second} /> };
    case "work":
      return chooseWorkPage(path);
    case "batches":
      return { name: second, page: () => <BatchPage key={second} id={second} /> };
    case "tasks":
      return { name: second, page: () => <TaskPage key={second} id={second} /> };
    case "attention":
      return { name: "Attention", page: () => <AttentionPage /> };
    case "episodes":
      return { name: second, page: () => <EpisodePage key={second} id={second} /> };
    case "health":
      return { name: "Health", page: () => <HealthPage /> };
    default:
      return { name: "No such page", page: () => <NoSuchPage /> };
  }
}

function chooseWorkPage(path: readonly string[]): ShownPage {
  switch (path.slice(1).join("/")) {
    case "":
      return { name: "Work", page: () => <BatchesPage /> };
    case "submit":
      return { name: "Submit a batch", page: () => <SubmitPage /> };
    case "schedules":
      return { name: "Schedules", page: () => <SchedulesPage /> };
    case "schedules/new":
      return { name: "Make a schedule", page: () => <NewSchedulePage /> };
    default:
      return { name: "No such page", page: () => <NoSuchPage /> };
  }
}

function NoSuchPage(): JSX.Element {
  return (
    <>
      <PageHead title="There is no such page" />
      <EmptyState icon="search" title="This address names no page of the console">
        Perhaps the address was cut off when it was copied. The <a href={places.fleet()}>fleet</a> is the first page.
      </EmptyState>
    </>
  );
}
