/** The head of the section Work: batches, schedules, and the way to submit. */

import "./work.css";
import type { ComponentChildren, JSX } from "preact";
import { Icon } from "../../components/icons";
import { refusalFor } from "../data/session";
import { PageHead } from "../shared/PageHead";
import { RoleNote } from "../shared/Allowed";
import { places } from "../shell/routes";

export function WorkTabs(props: { tab: "batches" | "schedules"; about?: ComponentChildren; actions?: ComponentChildren }): JSX.Element {
  return (
    <>
      <PageHead
        title="Work"
        about={props.about}
        actions={
          props.actions ??
          (refusalFor("submit") === null ? (
            <a class="button button-primary" href={places.submit()}>
              <Icon name="plus" /> Submit a batch
            </a>
          ) : (
            <RoleNote needs="submit" what="Submitting" />
          ))
        }
      />
      <nav class="work-tabs" aria-label="Work">
        <a class="work-tab" href={places.work()} aria-current={props.tab === "batches" ? "page" : undefined}>
          Batches
        </a>
        <a class="work-tab" href={places.schedules()} aria-current={props.tab === "schedules" ? "page" : undefined}>
          Schedules
        </a>
      </nav>
    </>
  );
}
