import { copyIcons } from "./copy-icons.ts";

/** Paths of the icons, drawn on a grid of 16 px with strokes of 1.5 px (client/styles/base.css). */
const PATHS = {
  ...copyIcons,
  alert: "M8 2.25 14.25 13H1.75zM8 6.5v3M8 11.25h.01",
  archive: "M2 2.75h12v3H2zM3 5.75v7.5h10v-7.5M6.5 8.5h3",
  attach: "M13 7.25 7.75 12.5a3 3 0 0 1-4.25-4.25L9 2.75a2 2 0 0 1 2.85 2.85L6.4 11",
  back: "M13 8H3M7 4 3 8l4 4",
  ban: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM3.75 3.75l8.5 8.5",
  bell: "M4 7a4 4 0 0 1 8 0c0 3 1.25 4 1.25 4H2.75S4 10 4 7zM6.75 13.5a1.4 1.4 0 0 0 2.5 0",
  bold: "M4.75 2.75h4a2.6 2.6 0 0 1 0 5.25h-4zM4.75 8h4.75a2.65 2.65 0 0 1 0 5.25H4.75z",
  book: "M8 4.25c-1.5-1.25-3.5-1.5-5.75-1.5v9.5c2.25 0 4.25.25 5.75 1.5 1.5-1.25 3.5-1.5 5.75-1.5v-9.5c-2.25 0-4.25.25-5.75 1.5zv9.5",
  branch: "M8 2.5v4M8 6.5 3.5 9.5v4M8 6.5l4.5 3v4M2 12l1.5 1.5L5 12M11 12l1.5 1.5L14 12",
  broadcast: "M2.5 6.5v3l2 .25L12.5 13V3L4.5 6.25zM5 10l.75 3.5h1.5",
  button: "M2 4.75h12v6.5H2zM5.5 8h5",
  calendar: "M2.5 3.75h11v9.75h-11zM2.5 7h11M5.5 2v3M10.5 2v3",
  chart: "M2.5 13.5h11M4 11V8M8 11V3.5M12 11V6",
  clear: "M3.5 3h9M8 3l-.75 4M6.75 9.5 6 13M2.5 13.5l11-11",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.25l2.25 1.25",
  close: "m4 4 8 8M12 4l-8 8",
  columns: "M2 3h5v10H2zM9 3h5v10H9z",
  code: "M5.5 4.5 2 8l3.5 3.5M10.5 4.5 14 8l-3.5 3.5",
  desktop: "M2 3h12v8H2zM6 13.5h4",
  divider: "M2 8h12M5.5 4h5M5.5 12h5",
  down: "M8 3v10M4 9l4 4 4-4",
  download: "M8 2.5V10M5 7.25l3 3 3-3M2.5 13.5h11",
  edit: "M10.5 3 13 5.5 5.5 13H3v-2.5zM9 4.5 11.5 7",
  exit: "M6.5 2.5h-4v11h4M6 8h7.5M10.5 5l3 3-3 3",
  external: "M9.5 2.5h4v4M13.5 2.5l-6 6M11.5 9v4.5h-9v-9H7",
  eye: "M1.75 8S4 3.75 8 3.75 14.25 8 14.25 8 12 12.25 8 12.25 1.75 8 1.75 8zM8 9.75a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5z",
  folder: "M2 3.5h4l1.5 2H14V13H2z",
  forward: "m9.5 3.5 4 4-4 4M13.5 7.5H6A3.5 3.5 0 0 0 2.5 11v1.5",
  globe:
    "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2.2 2.2 2.6 4.3 2.6 6S10.2 11.8 8 14M8 2C5.8 4.2 5.4 6.3 5.4 8s.4 3.8 2.6 6",
  grid: "M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z",
  heading: "M4 3v10M12 3v10M4 8h8",
  home: "M2.5 7 8 2.5 13.5 7v6.5h-11zM6.5 13.5v-4h3v4",
  image: "M2 3h12v10H2zM2 11l3.5-3.5 3 3L11 8l3 3M10.5 5.75h.01",
  inbox: "M2.5 9 4.25 3h7.5L13.5 9v4h-11zM2.5 9h3.25l1 1.75h2.5l1-1.75h3.25",
  info: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.5v3.25M8 5.25h.01",
  italic: "M6.5 2.75h5M4.5 13.25h5M9.25 2.75l-2.5 10.5",
  key: "M7.2 6.8 2.5 11.5v2h2.25V12h1.5v-1.5h1l1.95-1.7M10.25 9a3.25 3.25 0 1 0 0-6.5 3.25 3.25 0 0 0 0 6.5z",
  less: "M4.5 9.5 8 6l3.5 3.5",
  dots: "M8 3.1a.4.4 0 1 1 0 .8.4.4 0 0 1 0-.8zM8 7.6a.4.4 0 1 1 0 .8.4.4 0 0 1 0-.8zM8 12.1a.4.4 0 1 1 0 .8.4.4 0 0 1 0-.8z",
  link: "m6.5 9.5 3-3M7 4.5l1.25-1.25a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.25 1.25a2.8 2.8 0 0 1-4-4L5 7.5",
  list: "M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.01M2.5 8h.01M2.5 12h.01",
  mail: "M2 3.5h12v9H2zM2 4.5 8 9l6-4.5",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
  moon: "M6.5 2.5a5.75 5.75 0 1 0 7 7 4.75 4.75 0 0 1-7-7z",
  more: "M4.5 6.5 8 10l3.5-3.5",
  next: "M6.5 4.5 10 8l-3.5 3.5",
  numbers:
    "M6.5 4h7M6.5 8h7M6.5 12h7M2.25 3.25 3.25 2.75v3M2.25 10.5c.25-.6 1.75-.6 1.75.25 0 .9-1.75 1.25-1.75 2.25H4",
  part: "M2.5 2.5h11v11h-11zM5 5.5h6v5H5z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  people:
    "M6 7.25a2.25 2.25 0 1 0 0-4.5 2.25 2.25 0 0 0 0 4.5zM1.75 13.25c.2-2.5 2-4 4.25-4s4.05 1.5 4.25 4M10.5 3a2.1 2.1 0 0 1 0 4.1M12 9.6c1.3.6 2.1 1.9 2.25 3.65",
  phone: "M5 1.75h6v12.5H5zM7.5 12h1",
  play: "M4.5 3v10L13 8z",
  plug: "M5.5 2v3M10.5 2v3M3.5 5h9v2.5a4.5 4.5 0 0 1-9 0zM8 12v2",
  plus: "M8 3v10M3 8h10",
  quote:
    "M2.5 9.25h3.75V5.5H2.5zM2.5 9.25c0 1.5.75 2.5 2.25 2.75M9.5 9.25h3.75V5.5H9.5zM9.5 9.25c0 1.5.75 2.5 2.25 2.75",
  read: "M2 6.5 8 2l6 4.5v7H2zM2 6.5 8 10.5l6-4",
  reply: "m6.5 3.5-4 4 4 4M2.5 7.5H10a3.5 3.5 0 0 1 3.5 3.5v1.5",
  retry: "M13.25 8A5.25 5.25 0 1 1 11.5 4.1l1.75 1.65M13.25 2.5v3.25H10",
  search: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.25 10.25l3.25 3.25",
  send: "M14 2 7.5 8.5M14 2 9.75 14 7.5 8.5 2 6.25z",
  server: "M2.5 2.5h11V7h-11zM2.5 9h11v4.5h-11zM5 4.75h.01M5 11.25h.01",
  settings:
    "M2.5 4.5h6M12 4.5h1.5M2.5 11.5H4M7.5 11.5h6M10.25 6.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5zM5.75 13.25a1.75 1.75 0 1 0 0-3.5 1.75 1.75 0 0 0 0 3.5z",
  shield: "M8 2 3 4v4c0 3 2.2 5 5 6 2.8-1 5-3 5-6V4z",
  spacer: "M2 2.5h12M2 13.5h12M8 5v6M6 6.5 8 5l2 1.5M6 9.5 8 11l2-1.5",
  star: "m8 2 1.8 3.75 4.1.55-3 2.85.75 4.1-3.65-2-3.65 2 .75-4.1-3-2.85 4.1-.55z",
  swap: "M3 5.5h10M10.5 3 13 5.5 10.5 8M13 10.5H3M5.5 8 3 10.5 5.5 13",
  tag: "M2.5 2.5h5l6 6-5 5-6-6zM5.25 5.25h.01",
  template: "M2.5 2.5h11v11h-11zM2.5 6h11M6.5 6v7.5",
  text: "M2.5 4h11M2.5 8h11M2.5 12h7",
  trash: "M2.5 4.25h11M6 4.25V2.5h4v1.75M4 4.25l.6 9.25h6.8l.6-9.25M6.75 7v4M9.25 7v4",
  underline: "M4.5 2.5v4.75a3.5 3.5 0 0 0 7 0V2.5M3.5 13.75h9",
  up: "M8 13V3M4 7l4-4 4 4",
  upload: "M8 10.5V3M5 5.75l3-3 3 3M2.5 13.5h11",
  user: "M8 7.75a2.75 2.75 0 1 0 0-5.5 2.75 2.75 0 0 0 0 5.5zM2.75 13.75c.3-2.5 2.4-4 5.25-4s4.95 1.5 5.25 4",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon of 16 px in the colour of the text. Screen readers skip it: the text beside it, or `aria-label`, says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);

/** The mark of the service: an envelope whose flap is a check mark. The same drawing is in public/favicon.svg. */
export const Mark = ({ size = 24 }: { size?: number }) => (
  <svg class="mark" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
    <rect width="16" height="16" rx="4" />
    <path d="M.25 5.5 6.25 10.5 15.75 3" />
  </svg>
);
