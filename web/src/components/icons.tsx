/** Draw small icons of one set: 16 by 16, lines of 1.5, in the colour of the text around them. */
import type { JSX } from "preact";

const PATHS = {
  check: "M3.5 8.5l3 3 6-7",
  cross: "M4 4l8 8M12 4l-8 8",
  warning: "M8 2.5l6 10.5H2zM8 6.5v3M8 11.2v.1",
  info: "M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.3V11M8 5v.1",
  clock: "M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.8V8l2.2 1.6",
  phone: "M5 1.8h6a1 1 0 011 1v10.4a1 1 0 01-1 1H5a1 1 0 01-1-1V2.8a1 1 0 011-1zM7 12.2h2",
  search: "M7 11.5a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM10.4 10.4L14 14",
  filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
  up: "M4 9.5l4-4 4 4",
  down: "M4 6.5l4 4 4-4",
  left: "M9.8 4l-4 4 4 4",
  right: "M6.2 4l4 4-4 4",
  sort: "M5 6l3-3 3 3M5 10l3 3 3-3",
  play: "M5 3.2v9.6L12.8 8z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  stop: "M4 4h8v8H4z",
  first: "M11.5 4l-4 4 4 4M4.5 4v8",
  last: "M4.5 4l4 4-4 4M11.5 4v8",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  link: "M6.8 9.2l2.6-2.6M7.2 4.9l1.3-1.3a2.8 2.8 0 014 4l-1.6 1.6M8.8 11.1l-1.3 1.3a2.8 2.8 0 01-4-4l1.6-1.6",
  external: "M9.5 2.8h3.7v3.7M13 3L7.5 8.5M11.5 9.5v3.7h-8.7V4.5h3.7",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  retry: "M13 8a5 5 0 11-1.6-3.7M13 2.5V5h-2.5",
  hand: "M5 8V4a1 1 0 012 0v3.5V3a1 1 0 012 0v4.5V4a1 1 0 012 0v5.5a4.3 4.3 0 01-4.3 4.3c-2 0-2.8-1-3.7-2.8L2.2 8.7A1 1 0 013.9 7.6L5 9.3",
  grid: "M2.5 2.5h4.4v4.4H2.5zM9.1 2.5h4.4v4.4H9.1zM2.5 9.1h4.4v4.4H2.5zM9.1 9.1h4.4v4.4H9.1z",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1",
  chart: "M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6",
  layers: "M8 2.2L14 5.5 8 8.8 2 5.5zM2.5 8.5L8 11.5l5.5-3M2.5 11L8 14l5.5-3",
  bolt: "M9 1.8L3.5 9H8l-1 5.2L12.5 7H8z",
  book: "M3 3h4a1 1 0 011 1v9.2a1 1 0 00-1-1H3zM13 3H9a1 1 0 00-1 1v9.2a1 1 0 011-1h4z",
  sun: "M8 10.7a2.7 2.7 0 100-5.4 2.7 2.7 0 000 5.4zM8 1.8v1.3M8 12.9v1.3M1.8 8h1.3M12.9 8h1.3M3.6 3.6l.9.9M11.5 11.5l.9.9M3.6 12.4l.9-.9M11.5 4.5l.9-.9",
  moon: "M13 9.5A5.5 5.5 0 016.5 3a5.3 5.3 0 106.5 6.5z",
  screen: "M2 3h12v8H2zM6 13.5h4",
  keyboard: "M1.8 4h12.4v8H1.8zM4.5 6.7h.1M7 6.7h.1M9.3 6.7h.1M11.6 6.7h.1M5 9.5h6",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  image: "M2.5 3h11v10h-11zM2.5 11l3.3-3.3 2.5 2.5 1.7-1.7 3.5 3.5M10.6 5.8h.1",
  coins: "M8 6.5c3 0 5-.9 5-2s-2-2-5-2-5 .9-5 2 2 2 5 2zM3 4.5v7c0 1.100 2 2 5 2s5-.9 5-2v-7M3 8c0 1.100 2 2 5 2s5-.9 5-2",
} as const;

export type IconName = keyof typeof PATHS;

/** Draw an icon. With a `label` screen readers read it; without one they skip it. */
export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }): JSX.Element {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
