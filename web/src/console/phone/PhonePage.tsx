/** One phone: its screen and what it does now, its last tasks, its log, and what an operator can do. */

import "./phone.css";
import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { Icon } from "../../components/icons";
import { choice, choose } from "../../state/address";
import { formatCount, formatCounted, formatNumber, formatTime } from "../../state/format";
import { addressOf, get, part } from "../data/requests";
import { useResource } from "../data/resource";
import type { ListPage, ServiceEvent, TaskStatus, WallPhone } from "../data/types";
import { findPhone, isWallLoaded, wallVersion } from "../data/wall_store";
import { Doing, nameOf, PHASE_WORDS } from "../fleet/PhoneTile";
import { Elapsed } from "../shared/Elapsed";
import { EventLines } from "../shared/EventLines";
import { Facts } from "../shared/Facts";
import { PageHead } from "../shared/PageHead";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { Segments } from "../shared/Segments";
import { places } from "../shell/routes";
import { TaskTable } from "../work/TaskTable";
import { LivePicture } from "./LivePicture";
import { PhoneActions } from "./PhoneActions";
import { PhoneHealth } from "./PhoneHealth";

const LIVE_EVERY_MS = 2000;
const CRUMBS = [{ name: "Fleet", href: places.fleet() }];

export function PhonePage({ serial }: { serial: string }): JSX.Element {
  void wallVersion.value;
  const phone = findPhone(serial)?.value;
  if (phone === undefined) {
    return (
      <>
        <PageHead title={serial} crumbs={CRUMBS} />
        {isWallLoaded.value && (
          <EmptyState icon="phone" title="The fleet has no such phone">
            It was detached, or its address has changed. An operator attaches a phone with <code>manyhands attach</code>.
          </EmptyState>
        )}
      </>
    );
  }
  return (
    <>
      <PageHead
        crumbs={CRUMBS}
        title={nameOf(phone)}
        about={
          <span class="handset-about">
            {nameOf(phone) !== serial && <span class="said mono">{serial}</span>}
            <span class={`dot dot-${phone.phase}`} /> {PHASE_WORDS[phone.phase]}
            {phone.labels?.["model"] && <span class="said">{phone.labels["model"]}</span>}
          </span>
        }
        actions={<PhoneActions key={serial} phone={phone} />}
      />
      {phone.reason && (
        <Note tone={phone.phase === "away" || phone.phase === "aside" ? "warn" : "quiet"}>
          <p class="said">
            {PHASE_WORDS[phone.phase]}: {phone.reason}
            {phone.reserved_until != null && ` until ${formatTime(phone.reserved_until)}`}
          </p>
        </Note>
      )}
      <div class="handset-page">
        <LargeScreen phone={phone} />
        <div class="handset-detail">
          <PresentTask phone={phone} />
          <PhoneFacts phone={phone} />
          <PhoneHistory serial={serial} />
        </div>
      </div>
    </>
  );
}

/** The phone's screen as large as it is known. The large picture may not be written yet; then the small one serves. */
function LargeScreen({ phone }: { phone: WallPhone }): JSX.Element {
  const missing = useSignal<string | null>(null);
  const large =
    phone.episode && phone.screen && missing.value !== phone.screen
      ? addressOf(`/episodes/${part(phone.episode)}/screens/${phone.screen}`, { width: 540 })
      : null;
  const source = large ?? (phone.thumbnail ? `data:image/jpeg;base64,${phone.thumbnail}` : null);
  const isLive = choice("screen") === "live" && phone.phase !== "away";
  return (
    <div class="handset-screen panel">
      {phone.phase !== "away" && (
        <Button
          class="handset-live"
          icon="screen"
          pressed={isLive}
          title="Ask the phone for its screen, every two seconds, also while it has no task"
          onClick={() => choose({ screen: isLive ? "" : "live" })}
        >
          Show it live
        </Button>
      )}
      {isLive ? (
        <LivePicture serial={phone.serial} everyMs={LIVE_EVERY_MS} label={`The screen of ${phone.serial} now`} size={28} />
      ) : source ? (
        <img src={source} alt={`The screen of ${phone.serial}`} onError={() => (missing.value = phone.screen ?? null)} />
      ) : (
        <span class="faint">
          <Icon name="phone" size={28} />
          No screen yet
        </span>
      )}
    </div>
  );
}

function PresentTask({ phone }: { phone: WallPhone }): JSX.Element | null {
  if (!phone.task) return null;
  return (
    <section class="handset-now panel" aria-label="What it does now">
      <p class="handset-goal said">{phone.goal || phone.task}</p>
      <p class="quiet said">{phone.subgoal || phone.doing}</p>
      <p class="handset-line">
        <Doing phone={phone} most={4} />
      </p>
      <p class="handset-line quiet">
        {phone.step != null && <span>step {phone.step}</span>}
        {phone.step_since != null && (
          <span>
            for <Elapsed since={phone.step_since} />
          </span>
        )}
        {phone.owner && <span class="said">asked by {phone.owner}</span>}
      </p>
      <p class="handset-line">
        {phone.episode && (
          <a class="button button-primary" href={places.episode(phone.episode)}>
            <Icon name="play" /> Watch it live
          </a>
        )}
        {phone.batch && (
          <a class="button" href={places.batch(phone.batch)}>
            Batch {phone.batch}
          </a>
        )}
      </p>
    </section>
  );
}

function PhoneFacts({ phone }: { phone: WallPhone }): JSX.Element {
  const labels = Object.entries(phone.labels ?? {});
  const own = labels.filter(([name]) => !name.startsWith("app:") && name !== "serial" && name !== "model");
  const apps = labels.filter(([name]) => name.startsWith("app:"));
  return (
    <>
      <Facts
        facts={[
          ["Battery", phone.battery == null ? null : `${Math.round(phone.battery)}\u00a0%`],
          ["Warmth", phone.celsius == null ? null : `${formatNumber(phone.celsius)}\u00a0°C`],
          ["Failures in a row", phone.failures ? formatCount(phone.failures) : null],
          ...own.map(([name, value]) => [name, <span key={name} class="said">{value}</span>] as const),
        ]}
      />
      {apps.length > 0 && (
        <details class="handset-apps">
          <summary>{formatCounted(apps.length, "app")}</summary>
          <p class="said mono">{apps.map(([name, version]) => `${name.slice(4)} ${version}`).join("\n")}</p>
        </details>
      )}
    </>
  );
}

type Tab = "tasks" | "log" | "health";
const TABS: readonly { readonly value: Tab; readonly name: string }[] = [
  { value: "tasks", name: "Last tasks" },
  { value: "log", name: "Log" },
  { value: "health", name: "Health" },
];

function PhoneHistory({ serial }: { serial: string }): JSX.Element {
  const tab = (TABS.find((one) => one.value === choice("tab"))?.value ?? "tasks") as Tab;
  return (
    <section class="handset-history" aria-label="History">
      <Segments label="History" value={tab} choices={TABS} onChoose={(value) => choose({ tab: value === "tasks" ? "" : value })} />
      {tab === "tasks" ? <LastTasks serial={serial} /> : <PhoneLog serial={serial} tab={tab} />}
    </section>
  );
}

function LastTasks({ serial }: { serial: string }): JSX.Element {
  const loaded = useResource<ListPage<TaskStatus>>(
    {
      load: (signal) => get(`/phones/${part(serial)}/tasks`, { limit: 100 }, signal),
      isChangedBy: (event) => event.phone === serial && event.kind !== "task.step",
    },
    [serial],
  );
  const tasks = loaded.value.value?.items;
  return (
    <>
      {loaded.problem.value && <ProblemNote problem={loaded.problem.value} />}
      {tasks?.length === 0 && (
        <EmptyState icon="list" title="It has had no task yet">
          As soon as it gets one, the task appears here. <a href={places.submit()}>Submit a batch</a>
        </EmptyState>
      )}
      {tasks && tasks.length > 0 && <TaskTable tasks={tasks} label={`Tasks of ${serial}`} isOfOnePhone onChanged={loaded.reload} />}
    </>
  );
}

function PhoneLog({ serial, tab }: { serial: string; tab: "log" | "health" }): JSX.Element {
  const loaded = useResource<ListPage<ServiceEvent>>(
    {
      load: (signal) => get(`/phones/${part(serial)}/log`, { limit: 500 }, signal),
      isChangedBy: (event) => event.phone === serial && event.kind !== "task.step",
    },
    [serial],
  );
  const events = loaded.value.value?.items;
  return (
    <>
      {loaded.problem.value && <ProblemNote problem={loaded.problem.value} />}
      {events?.length === 0 && (
        <EmptyState icon="clock" title="Nothing has happened to it yet">
          Its tasks, and when it went away or was set aside, appear here.
        </EmptyState>
      )}
      {events && events.length > 0 && (
        tab === "log" ? <EventLines events={events} label={`Log of ${serial}`} /> : <PhoneHealth events={events} />
      )}
    </>
  );
}
