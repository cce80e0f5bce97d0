/** The charge of a phone, and its warmth where it is too warm. */

import type { JSX } from "preact";
import { Icon } from "../../components/icons";
import { formatNumber } from "../../state/format";

const LOW_PERCENT = 15;
const HOT_CELSIUS = 42;

export function Battery({ percent, celsius }: { percent: number | null; celsius: number | null }): JSX.Element | null {
  if (percent === null) return null;
  const isHot = celsius !== null && celsius >= HOT_CELSIUS;
  const words = `Battery ${Math.round(percent)}\u00a0%${celsius === null ? "" : `, ${formatNumber(celsius)}\u00a0°C`}`;
  return (
    <span class={`battery${percent <= LOW_PERCENT || isHot ? " battery-bad" : ""}`} title={words}>
      <Icon name={isHot ? "warning" : "bolt"} size={11} label={words} />
      <span aria-hidden="true">{`${Math.round(percent)}\u00a0%`}</span>
    </span>
  );
}
