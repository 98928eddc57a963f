import { crc32 } from "../lib/crc32.ts";

/** What the pages of the reference add to the stylesheet of every page. */
export const REFERENCE_STYLE = `.docs { display: grid; grid-template-columns: 13rem minmax(0, 1fr); gap: 2rem; max-width: 75rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
.docs main { max-width: none; margin: 0; padding: 0; }
.docs nav.nouns a { display: flex; align-items: center; min-height: 2rem; padding: 0 .6rem; border-radius: .3rem; color: inherit; text-decoration: none; }
.docs nav.nouns a:hover { background: var(--card); text-decoration: underline; }
.docs nav.nouns a[aria-current] { background: var(--card); font-weight: 600; }
.docs form.search { display: flex; gap: .5rem; margin-bottom: 1rem; }
.docs form.search input { min-width: 0; }
.docs form.search button { flex: none; }
.docs h2 { margin: 0 0 .25rem; font-size: 1.15rem; }
.docs h3 { margin: 1.25rem 0 .5rem; font-size: 1rem; }
.docs article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; margin-bottom: 1.5rem; scroll-margin-top: 1rem; }
.docs .route { font-family: ui-monospace, monospace; font-size: .9em; margin-bottom: .75rem; }
.docs .route b { display: inline-block; min-width: 4rem; }
.docs .code-box { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; }
.docs pre { margin: 0; padding: .8rem 1rem; font: .85em/1.5 ui-monospace, monospace; }
.docs summary { cursor: pointer; min-height: 2rem; display: list-item; align-content: center; }
.docs details { margin-bottom: .5rem; }
.docs .table { border-radius: .3rem; }
.docs th, .docs td { padding: .4rem .7rem; }
.docs td .hint { margin: 0; }
.docs td:nth-child(1) { font: .85em/1.75 ui-monospace, monospace; }
.docs .need { color: var(--soft); font-weight: 400; white-space: nowrap; font-family: system-ui, sans-serif; }
.docs ul.operations { list-style: none; padding: 0; }
.docs ul.operations li { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); align-items: center; gap: 0 1rem; padding: .25rem 0; border-top: 1px solid var(--line); }
.docs ul.operations a { min-height: 1.75rem; display: inline-flex; align-items: center; }
textarea { font: .9em/1.5 ui-monospace, monospace; color: inherit; background: var(--card); width: 100%; padding: .6rem; border: 1px solid var(--edge); border-radius: .3rem; }
@media (max-width: 48rem) {
  .docs { grid-template-columns: minmax(0, 1fr); gap: 1rem; }
  .docs nav.nouns { display: flex; flex-wrap: wrap; }
  .docs thead { position: absolute; left: -99rem; }
  .docs tr { display: block; padding: .5rem .7rem; border-top: 1px solid var(--line); }
  .docs td { display: block; padding: 0; border: 0; }
  .docs ul.operations li { grid-template-columns: minmax(0, 1fr); }
}
`;

/** Name of the stylesheet. It changes with the content, so browsers may cache the file for ever. */
export const REFERENCE_STYLE_FILE = `reference-${crc32(REFERENCE_STYLE).toString(16)}.css`;
