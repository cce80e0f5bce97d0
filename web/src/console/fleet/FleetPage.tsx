/** The fleet: all phones as a wall, with what each does now. The choice of phones is in the address. */

import "./fleet.css";
import { useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { EmptyState } from "../../components/EmptyState";
import { choice, choose } from "../../state/address";
import { formatCount } from "../../state/format";
import { get } from "../data/requests";
import { useResource } from "../data/resource";
import type { ServiceStatus } from "../data/types";
import { allPhones, isWallLoaded, wallVersion } from "../data/wall_store";
import { CopyLine } from "../shared/CopyLine";
import { FilterChips } from "../shared/FilterChips";
import { Note } from "../shared/ProblemNote";
import { PageHead } from "../shared/PageHead";
import { SearchBox } from "../shared/SearchBox";
import { Segments } from "../shared/Segments";
import { places } from "../shell/routes";
import { countPhases, groupLabels, groupPhones, PHASES, searchPhones, type WallSize } from "./fleet_view";
import { PhoneWall } from "./PhoneWall";
import { selection, SelectionBar } from "./SelectionBar";

const SIZES: readonly { readonly value: WallSize; readonly name: string; readonly words: string }[] = [
  { value: "s", name: "S", words: "Small: the screens" },
  { value: "m", name: "M", words: "Medium: screens and what they do" },
  { value: "l", name: "L", words: "Large" },
];

export function FleetPage(): JSX.Element {
  useEffect(() => () => void (selection.value = null), []);
  const status = useResource<ServiceStatus>({
    load: (signal) => get("/status", {}, signal),
    isChangedBy: (event) => /^(phone|model)\./.test(event.kind),
    pollMs: 5000,
  }, []);
  const phase = choice("phase");
  const words = choice("q");
  const label = choice("group");
  const size = (["s", "m", "l"].includes(choice("size")) ? choice("size") : "m") as WallSize;
  const shown = useComputed(() => {
    void wallVersion.value;
    const all = allPhones();
    const found = searchPhones(all, choice("q"));
    const chosen = choice("phase") ? found.filter((phone) => phone.phase === choice("phase")) : found;
    return {
      all: all.length,
      counts: countPhases(found),
      found: found.length,
      chosen: chosen.map((phone) => phone.serial),
      labels: groupLabels(all),
      groups: groupPhones(chosen, choice("group")),
    };
  });
  const { all, counts, found, chosen, labels, groups } = shown.value;
  const waits = status.value.value?.waiting_for ?? [];
  return (
    <>
      <PageHead title="Fleet" about={<FleetWords status={status.value.value} />} />
      {waits.length > 0 && (
        <Note tone="warn">
          <p>Tasks wait for:</p>
          <ul class="note-list">
            {waits.map((line) => (
              <li key={line} class="said">
                {line}
              </li>
            ))}
          </ul>
        </Note>
      )}
      {all === 0 ? (
        <NoPhones isReady={isWallLoaded.value && (status.value.value?.is_ready ?? false)} />
      ) : (
        <>
          <div class="toolbar">
            <SearchBox value={words} label="Search phones" placeholder="Serial, label, task, goal" onInput={(q) => choose({ q })} />
            <FilterChips
              label="Phases"
              chosen={phase}
              all={found}
              choices={PHASES.map((one) => ({ value: one.phase, name: one.name, count: counts[one.phase] }))}
              onChoose={(value) => choose({ phase: value })}
            />
            <div class="toolbar-end">
              <Button pressed={choice("idle") !== ""} icon="screen" title="Show the screens of free phones, every five seconds" onClick={() => choose({ idle: choice("idle") ? "" : 1 })}>
                Free screens
              </Button>
              <Button pressed={selection.value !== null} onClick={() => (selection.value = selection.value === null ? new Set() : null)}>
                Select
              </Button>
              <label class="toolbar-select">
                <span class="quiet">Group by</span>
                <select class="input" value={label} onChange={(event) => choose({ group: event.currentTarget.value })}>
                  <option value="">nothing</option>
                  {labels.map((name) => (
                    <option key={name} value={name}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <Segments label="Size" value={size} choices={SIZES} onChoose={(value) => choose({ size: value === "m" ? "" : value })} />
            </div>
          </div>
          <SelectionBar chosen={chosen} />
          {chosen.length === 0 ? (
            <EmptyState icon="search" title="No phone is chosen by these filters">
              <button type="button" class="link-button" onClick={() => choose({ q: "", phase: "" })}>
                Show all {formatCount(all)} phones
              </button>
            </EmptyState>
          ) : (
            <PhoneWall groups={groups} size={size} />
          )}
        </>
      )}
    </>
  );
}

function FleetWords({ status }: { status: ServiceStatus | null }): JSX.Element | null {
  if (status === null) return null;
  return (
    <>
      {formatCount(status.running)} running · {formatCount(status.waiting)} waiting · {formatCount(status.ended)} ended
      {status.is_ready && status.running === 0 && status.waiting === 0 && (
        <>
          {" · "}
          <a href={places.submit()}>Submit a batch</a>
        </>
      )}
    </>
  );
}

function NoPhones({ isReady }: { isReady: boolean }): JSX.Element {
  if (!isReady) {
    return (
      <EmptyState icon="clock" title="The fleet is being opened">
        Phones and actors need about a minute after the start of the service. This page shows them as they come.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="phone" title="The fleet has no phones" action={<CopyLine text="manyhands attach SERIAL" />}>
      Attach a phone that adb lists, or start the service with phones, such as <code>--phones virtual:2</code> for two
      virtual ones. It appears here at once.
    </EmptyState>
  );
}
