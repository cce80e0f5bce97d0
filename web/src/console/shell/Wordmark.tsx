/** The product's name with its sign: several hands that reach for one screen. */

import type { JSX } from "preact";

export function Wordmark(): JSX.Element {
  return (
    <span class="wordmark">
      <svg class="wordmark-sign" width="22" height="22" viewBox="0 0 22 22" aria-hidden="true" focusable="false">
        <rect class="wordmark-ground" x="0" y="0" width="22" height="22" rx="6" />
        <rect class="wordmark-screen" x="8" y="5" width="6" height="12" rx="1.5" />
        <path class="wordmark-hand" d="M3.5 7.5h2.2M3.5 11h2.2M3.5 14.5h2.2M16.3 7.5h2.2M16.3 11h2.2M16.3 14.5h2.2" />
      </svg>
      Manyhands
    </span>
  );
}
