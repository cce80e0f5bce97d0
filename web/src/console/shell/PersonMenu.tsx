/** Who is signed in, what the role allows, light or dark, and the way out. */

import { useId } from "preact/hooks";
import type { JSX } from "preact";
import { Button } from "../../components/Button";
import { Icon } from "../../components/icons";
import { chooseTheme, theme, type Theme } from "../../design/theme";
import { ownName, ownRole, ROLE_ALLOWS, signOut } from "../data/session";
import { useAction } from "../shared/action";
import { ProblemNote } from "../shared/ProblemNote";

const THEMES: readonly { theme: Theme; name: string; icon: "screen" | "sun" | "moon" }[] = [
  { theme: "system", name: "As the system", icon: "screen" },
  { theme: "light", name: "Light", icon: "sun" },
  { theme: "dark", name: "Dark", icon: "moon" },
];

export function PersonMenu(): JSX.Element {
  const id = useId();
  const leaving = useAction(signOut);
  const role = ownRole();
  return (
    <div class="person">
      <button type="button" class="person-button" popovertarget={id}>
        <span class="unseen">Signed in as</span>
        <span class="person-initial" aria-hidden="true">
          {ownName().slice(0, 1).toUpperCase()}
        </span>
        <span class="person-name">
          <span class="clip">{ownName()}</span>
          <span class="person-role">{role}</span>
        </span>
      </button>
      <div id={id} class="person-menu" popover="auto">
        <p>
          <strong class="said">{ownName()}</strong>
          <br />
          <span class="quiet">
            Role {role}: {role && ROLE_ALLOWS[role]}.
          </span>
        </p>
        <fieldset class="person-themes">
          <legend>Colours</legend>
          {THEMES.map((one) => (
            <Button
              key={one.theme}
              kind="quiet"
              icon={one.icon}
              label={one.name}
              pressed={theme.value === one.theme}
              onClick={() => chooseTheme(one.theme)}
            />
          ))}
        </fieldset>
        <a class="person-link" href="/docs">
          <Icon name="book" /> All requests of this service
        </a>
        <Button onClick={() => void leaving.run()} disabled={leaving.isRunning.value}>
          Sign out
        </Button>
        {leaving.problem.value && <ProblemNote problem={leaving.problem.value} />}
      </div>
    </div>
  );
}
