/** Choose between the system's colours, light and dark. */
import type { JSX } from "preact";
import { chooseTheme, theme, type Theme } from "../design/theme";
import { Button } from "./Button";
import type { IconName } from "./icons";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
const ICONS: Record<Theme, IconName> = { system: "screen", light: "sun", dark: "moon" };
const WORDS: Record<Theme, string> = { system: "Colours: as the system", light: "Colours: light", dark: "Colours: dark" };

/** Show a button that goes through the three choices. */
export function ThemeSwitch(): JSX.Element {
  const now = theme.value;
  return <Button icon={ICONS[now]} label={WORDS[now]} kind="quiet" onClick={() => chooseTheme(NEXT[now])} />;
}
