/** Show which keys count now: `?` opens it. */
import "./keyhelp.css";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { keyGroups, useKeys } from "./keys";

const SIGNS: Record<string, string> = {
  ArrowRight: "\u2192",
  ArrowLeft: "\u2190",
  ArrowUp: "\u2191",
  ArrowDown: "\u2193",
  Escape: "Esc",
  " ": "Space",
};

/** Show the button that opens the list of keys. Each page has one. */
export function KeyHelp(): JSX.Element {
  const [isOpen, open] = useState(false);
  useKeys("Everywhere", [{ key: "?", does: "show the keys", run: () => open(true) }]);
  return (
    <>
      <Button icon="keyboard" label="Keys" kind="quiet" onClick={() => open(true)} />
      {isOpen && (
        <Dialog title="Keys" onClose={() => open(false)}>
          {[...keyGroups.value].reverse().map((group) => (
            <section class="keyhelp" key={group.title}>
              <h3>{group.title}</h3>
              <dl>
                {group.keys.map((one) => (
                  <div key={one.key}>
                    <dt>
                      {one.key.split("+").map((part) => (
                        <kbd key={part}>{SIGNS[part] ?? part}</kbd>
                      ))}
                    </dt>
                    <dd>{one.does}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </Dialog>
      )}
    </>
  );
}
