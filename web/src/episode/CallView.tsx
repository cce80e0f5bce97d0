/** What a model call sent, by section, and what it received. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { CopyButton } from "../components/CopyButton";
import { formatLarge } from "../state/format";
import { curlCommand } from "./curlCommand";
import type { FilmSource } from "./filmSource";
import { promptSections, type PromptSection, replyParts, requestSettings } from "./promptSections";
import { PromptPicture } from "./PromptPicture";
import type { CallContent, CallSummary } from "./types";

/** Sections with more letters than this are folded. */
const LONG = 700;

/** Show the call. */
export function CallView(props: { call: CallSummary; content: CallContent; source: FilmSource }): JSX.Element {
  const { call, content, source } = props;
  const sections = useMemo(() => promptSections(content.request), [content]);
  const settings = useMemo(() => requestSettings(content.request), [content]);
  const [all, setAll] = useState<boolean | null>(null);
  return (
    <>
      <section aria-label="Reply">
        <div class="call-part-head">
          <h2>Reply</h2>
          {content.reply != null && <CopyButton label="Copy the reply" text={() => content.reply ?? ""}>Copy</CopyButton>}
        </div>
        {content.reply == null ? (
          <p class="quiet">The model gave no reply.</p>
        ) : (
          <Reply reply={content.reply} />
        )}
      </section>
      <section aria-label="Prompt">
        <div class="call-part-head">
          <h2>Prompt</h2>
          <Button kind="quiet" onClick={() => setAll(all !== true)}>{all === true ? "Fold long ones" : "Open all"}</Button>
          <CopyButton label="Copy as curl" kind="plain" text={() => curlCommand(call.server, content.request)}>
            Copy as curl
          </CopyButton>
        </div>
        {sections.length ? (
          <ol class="prompt">
            {sections.map((section, index) => (
              <Section key={`${index} ${String(all)}`} section={section} source={source} isOpen={all ?? section.text.length <= LONG} isNewRole={sections[index - 1]?.role !== section.role} />
            ))}
          </ol>
        ) : (
          <p class="quiet">The request was not recorded.</p>
        )}
        {settings.length > 0 && (
          <details class="prompt-section">
            <summary>Settings of the request</summary>
            <dl class="prompt-settings">
              {settings.map(([name, value]) => (
                <div key={name}>
                  <dt class="mono">{name}</dt>
                  <dd class="mono said">{value}</dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </section>
    </>
  );
}

function Reply({ reply }: { reply: string }): JSX.Element {
  const parts = replyParts(reply);
  if (!parts?.length) return <pre class="said call-reply" dir="auto" tabIndex={0} role="group" aria-label="Text of the reply">{reply}</pre>;
  return (
    <dl class="call-reply" tabIndex={0} aria-label="Parts of the reply">
      {parts.map(([name, text]) => (
        <div key={name} class="call-reply-part">
          <dt class="mono said">{name}</dt>
          <dd class="said" dir="auto">{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Section(props: { section: PromptSection; source: FilmSource; isOpen: boolean; isNewRole: boolean }): JSX.Element {
  const { section } = props;
  return (
    <li>
      {props.isNewRole && <span class="prompt-role">{section.role}</span>}
      {section.picture ? (
        <PromptPicture picture={section.picture} source={props.source} />
      ) : (
        <details class="prompt-section" open={props.isOpen}>
          <summary>
            <bdi class="clip">{section.title}</bdi>
            <span class="faint">{formatLarge(section.text.length)} letters</span>
          </summary>
          <div class="prompt-text said" dir="auto" tabIndex={0} role="group" aria-label={section.title}>{section.text}</div>
        </details>
      )}
    </li>
  );
}
