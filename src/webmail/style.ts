import { crc32 } from "../lib/crc32.ts";

/** What the pages of webmail add to the stylesheet of every page. */
export const WEBMAIL_STYLE = `.webmail { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 1.5rem; max-width: 80rem; margin: 0 auto; padding: 1rem 1rem 4rem; }
.webmail main { max-width: none; margin: 0; padding: 0; }
.webmail nav.folders a { display: flex; justify-content: space-between; gap: .5rem; align-items: center; min-height: 2rem; padding: 0 .6rem; border-radius: .3rem; color: inherit; text-decoration: none; }
.webmail nav.folders a:hover { background: var(--card); text-decoration: underline; }
.webmail nav.folders a[aria-current] { background: var(--card); font-weight: 600; }
.webmail nav.folders .button { display: flex; justify-content: center; margin-bottom: .75rem; color: var(--on-accent); }
.webmail nav.folders .button:hover { background: var(--accent); }
.webmail .bar-of-list { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 .75rem; }
.webmail .bar-of-list > * { width: auto; margin: 0; }
.webmail .bar-of-list form.find { display: flex; gap: .5rem; flex: 1 1 16rem; }
.webmail .bar-of-list form.find button { flex: none; }
.webmail ul.messages { list-style: none; margin: 0 0 1rem; padding: 0; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.webmail ul.messages li { display: grid; grid-template-columns: 1.75rem 12rem minmax(0, 1fr) max-content; gap: .25rem .75rem; align-items: center; padding: .3rem .75rem; border-top: 1px solid var(--line); }
.webmail ul.messages li:first-child { border-top: 0; }
.webmail ul.messages li.unread { font-weight: 600; }
.webmail ul.messages .who, .webmail ul.messages .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.webmail ul.messages .what a { display: inline-flex; min-height: 1.75rem; align-items: center; }
.webmail ul.messages .preview, .webmail ul.messages time { color: var(--soft); font-weight: 400; }
.webmail ul.messages input { width: 1.25rem; height: 1.25rem; }
.webmail article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.25rem; margin-bottom: 1rem; }
.webmail article h1 { margin-bottom: .5rem; }
.webmail article iframe.mail { height: 55vh; }
.webmail ul.thread { list-style: none; padding: 0; margin: 0 0 1rem; }
.webmail ul.thread a { min-height: 1.75rem; display: inline-flex; align-items: center; }
.webmail .actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-bottom: 1rem; }
.webmail .actions form { margin: 0; }
@media (max-width: 48rem) {
  .webmail { grid-template-columns: minmax(0, 1fr); gap: .75rem; }
  .webmail nav.folders { display: flex; flex-wrap: wrap; gap: .25rem; }
  .webmail nav.folders .button { flex: 1 0 100%; }
  .webmail ul.messages li { grid-template-columns: 1.75rem minmax(0, 1fr) max-content; }
  .webmail ul.messages .what { grid-column: 2 / 4; white-space: normal; }
  .webmail ul.messages time { grid-column: 2 / 4; }
  .webmail ul.messages .preview { display: block; }
}
`;

/** Name of the stylesheet. It changes with the content, so browsers may cache the file for ever. */
export const WEBMAIL_STYLE_FILE = `webmail-${crc32(WEBMAIL_STYLE).toString(16)}.css`;
