/** What needs a person: failures by their cause, phones that get no work, models that do not answer, held episodes. */

import "./attention.css";
import type { JSX } from "preact";
import { EmptyState } from "../../components/EmptyState";
import { formatCount, formatCounted } from "../../state/format";
import { PageHead } from "../shared/PageHead";
import { Note, ProblemNote } from "../shared/ProblemNote";
import { attention, attentionProblem } from "../shell/attention_count";
import { places } from "../shell/routes";
import { ApprovalCard } from "./ApprovalCard";
import { CauseCard } from "./CauseCard";
import { HeldRow, ModelRow, PhoneRow, QuestionRow } from "./AwayRows";

export function AttentionPage(): JSX.Element {
  const list = attention.value;
  const questions = (list?.held ?? []).filter((held) => held.question && !held.consent);
  const held = (list?.held ?? []).filter((one) => !one.question);
  return (
    <>
      <PageHead
        title="Attention"
        about={list && list.open > 0 ? `${formatCounted(list.open, "thing")} for a person, the newest first` : undefined}
      />
      {attentionProblem.value && <ProblemNote problem={attentionProblem.value} />}
      {list !== null && list.open === 0 && (
        <EmptyState icon="check" title="Nothing needs a person">
          Failed tasks, phones that get no work, models that do not answer and paused episodes appear here. Meanwhile, the{" "}
          <a href={places.fleet()}>fleet</a> and the <a href={places.work()}>queue</a> show what goes on.
        </EmptyState>
      )}
      {list !== null && (list.approvals ?? []).length > 0 && (
        <section class="attention-section" aria-labelledby="approvals-title">
          <h2 id="approvals-title">Actions that wait for a word</h2>
          {(list.approvals ?? []).map((approval) => (
            <ApprovalCard key={approval.id} approval={approval} />
          ))}
        </section>
      )}
      {questions.length > 0 && (
        <section class="attention-section" aria-labelledby="questions-title">
          <h2 id="questions-title">Agents that ask for a person</h2>
          <ul class="attention-list panel">
            {questions.map((one) => (
              <QuestionRow key={one.episode} held={one} />
            ))}
          </ul>
        </section>
      )}
      {list !== null && list.models.length > 0 && (
        <section class="attention-section" aria-labelledby="models-title">
          <h2 id="models-title">Models away</h2>
          <ul class="attention-list panel">
            {list.models.map((model) => (
              <ModelRow key={model.what} model={model} />
            ))}
          </ul>
        </section>
      )}
      {held.length > 0 && (
        <section class="attention-section" aria-labelledby="held-title">
          <h2 id="held-title">Episodes that people hold</h2>
          <ul class="attention-list panel">
            {held.map((one) => (
              <HeldRow key={one.episode} held={one} />
            ))}
          </ul>
        </section>
      )}
      {list !== null && list.causes.length > 0 && (
        <section class="attention-section" aria-labelledby="causes-title">
          <h2 id="causes-title">Failed tasks, by cause</h2>
          {list.has_more && (
            <Note tone="quiet">
              Only the newest {formatCount(list.causes.reduce((sum, cause) => sum + cause.count, 0))} failed tasks are counted.
              Older ones appear once some of these are retried or dismissed.
            </Note>
          )}
          {list.causes.map((cause) => (
            <CauseCard key={cause.id} cause={cause} isLeast={list.has_more} />
          ))}
        </section>
      )}
      {list !== null && list.phones.length > 0 && (
        <section class="attention-section" aria-labelledby="phones-title">
          <h2 id="phones-title">Phones set aside or away</h2>
          <ul class="attention-list panel">
            {list.phones.map((phone) => (
              <PhoneRow key={phone.serial} phone={phone} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
