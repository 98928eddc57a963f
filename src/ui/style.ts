import { crc32 } from "../lib/crc32.ts";

/** The stylesheet of every page. Text has a contrast of at least 5.7:1 and edges of 3.6:1, in both colour schemes. */
export const STYLE = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #e8eaed); --soft: light-dark(#555e68, #a4aeb9);
  --paper: light-dark(#f6f7f9, #14171a); --card: light-dark(#fff, #1d2125);
  --edge: light-dark(#7a838d, #77818c); --line: light-dark(#dfe3e8, #2d333a);
  --accent: light-dark(#1f5fbf, #7db1ff); --on-accent: light-dark(#fff, #14171a);
  --good: light-dark(#14693a, #6bd39a); --bad: light-dark(#a4262c, #ff9a9e); --warn: light-dark(#7a4d00, #f0c063);
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
a { color: var(--accent); }
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, ul, ol, dl { margin: 0 0 1rem; }
.skip { position: absolute; left: -99rem; top: 0; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 0; }
header.bar { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .5rem 1rem;
  background: var(--card); border-bottom: 1px solid var(--line); }
header.bar nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; flex: 1; }
header.bar a, header.bar button.link { display: inline-flex; align-items: center; min-height: 1.75rem; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
main.narrow { max-width: 27rem; margin: 8vh auto 0; }
main.narrow > section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.5rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
.hint { color: var(--soft); margin: 0 0 .5rem; }
input, select { font: inherit; color: inherit; background: var(--card); width: 100%; padding: .5rem .6rem; min-height: 2.5rem;
  border: 1px solid var(--edge); border-radius: .3rem; }
input[type=checkbox], input[type=radio] { width: auto; min-height: 0; }
form { margin: 0 0 1rem; }
form.inline { display: inline; margin: 0; }
form.form { max-width: 34rem; }
fieldset { margin: 0 0 1rem; border: 1px solid var(--edge); border-radius: .3rem; padding: .5rem 1rem; min-width: 0; }
legend { font-weight: 600; padding: 0 .3rem; }
label.choice { display: flex; gap: .6rem; align-items: baseline; font-weight: 400; padding: .2rem 0; margin: 0; min-height: 1.75rem; }
a.action { display: inline-flex; align-items: center; min-height: 1.75rem; }
a[aria-current] { color: inherit; font-weight: 600; }
.field { margin-bottom: 1rem; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .5rem 1.1rem; min-height: 2.5rem;
  border: 1px solid var(--accent); border-radius: .3rem; background: var(--accent); color: var(--on-accent);
  cursor: pointer; text-decoration: none; text-align: center; max-width: 100%; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
button.link { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
.wide { width: 100%; }
.stack > * { margin-bottom: .6rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.notice { border-left: 4px solid var(--edge); background: var(--card); padding: .6rem 1rem; margin-bottom: 1rem; }
.notice.bad { border-color: var(--bad); color: var(--bad); }
.notice.warn { border-color: var(--warn); color: var(--warn); }
.notice.good { border-color: var(--good); color: var(--good); }
.table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin-bottom: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .8rem; border-top: 1px solid var(--line); }
thead th { border-top: 0; color: var(--soft); font-weight: 600; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; }
code, .code { font: .9em ui-monospace, monospace; }
.url { padding: .6rem; border-radius: .3rem; background: var(--paper); border: 1px solid var(--line); max-height: 9rem; overflow-y: auto; }
@media (max-width: 30rem) { dl.facts { grid-template-columns: 1fr; } dl.facts dt { margin-top: .5rem; } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: background-color .1s; } }
`;

/** Name of the stylesheet. It changes with the content, so browsers may cache the file for ever. */
export const STYLE_FILE = `style-${crc32(STYLE).toString(16)}.css`;
