import { crc32 } from "../lib/crc32.ts";
import { CHART_STYLE } from "./chart-style.ts";

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
html { font-size: 15px; }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); overflow-wrap: anywhere; }
a { color: var(--accent); }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
.soft { color: var(--soft); font-weight: 400; }
p, ul, ol, dl { margin: 0 0 1rem; }
.skip { position: absolute; left: -99rem; top: 0; padding: .5rem 1rem; background: var(--card); }
.skip:focus { left: 0; }
header.bar { display: flex; gap: .5rem 1rem; align-items: center; padding: .4rem 1rem; background: var(--card);
  border-bottom: 1px solid var(--line); }
header.bar .who { flex: 1; font-weight: 600; min-width: 0; }
header.bar button.link { display: inline-flex; align-items: center; min-height: 1.75rem; white-space: nowrap; }
header.bar button.menu { padding: .2rem .8rem; min-height: 2.2rem; }
nav[popover] { inset: 0 auto 0 0; height: auto; max-height: 100vh; width: 15rem; margin: 0; padding: 1rem; overflow-y: auto;
  color: inherit; background: var(--card); border: 0; border-right: 1px solid var(--line); }
nav[popover]::backdrop { background: #0008; }
nav .group { margin-bottom: 1rem; }
nav .group p { margin: 0 0 .2rem; padding: 0 .6rem; font-size: .8rem; color: var(--soft); }
nav .group a { display: flex; align-items: center; min-height: 2rem; padding: 0 .6rem; border-radius: .3rem; color: inherit;
  text-decoration: none; }
nav .group a:hover { text-decoration: underline; }
nav .group a[aria-current] { background: var(--paper); color: var(--accent); font-weight: 600; }
main { max-width: 75rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
.title { display: flex; flex-wrap: wrap; gap: .5rem 1rem; justify-content: space-between; align-items: start; margin-bottom: 1rem; }
.title h1 { margin: .2rem 0 0; min-width: 0; }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
.actions form { margin: 0; }
@media (min-width: 56rem) {
  body.app { display: grid; grid-template-columns: 13rem minmax(0, 1fr); grid-template-rows: auto 1fr; min-height: 100vh; }
  body.app header.bar { grid-column: 1 / 3; }
  body.app nav[popover] { display: block; position: static; width: auto; max-height: none; padding: 1rem .6rem; }
  body.app main { width: 100%; margin: 0; padding: 1.5rem 2rem 4rem; }
  header.bar button.menu { display: none; }
}
main.narrow { max-width: 27rem; margin: 8vh auto 0; }
main.narrow > section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.5rem; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
.hint { color: var(--soft); margin: 0 0 .5rem; }
input, select, textarea { font: inherit; color: inherit; background: var(--card); width: 100%; padding: .5rem .6rem; min-height: 2.5rem;
  border: 1px solid var(--edge); border-radius: .3rem; }
input[type=checkbox], input[type=radio] { width: auto; min-height: 0; }
textarea { resize: vertical; line-height: 1.4; }
textarea.code { font: .9rem/1.4 ui-monospace, monospace; }
[aria-invalid] { border-color: var(--bad); }
.fault { color: var(--bad); margin: .25rem 0 0; }
form { margin: 0 0 1rem; }
form.filter { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
form.filter .field { margin: 0; flex: 1 1 12rem; max-width: 28rem; }
form.filter label .soft { display: none; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0 2rem; align-items: start; }
form.inline { display: inline; margin: 0; }
form.form { max-width: 34rem; }
fieldset { margin: 0 0 1rem; border: 1px solid var(--edge); border-radius: .3rem; padding: .5rem 1rem; min-width: 0; }
legend { font-weight: 600; padding: 0 .3rem; }
label.choice { display: flex; gap: .6rem; align-items: baseline; font-weight: 400; padding: .2rem 0; margin: 0; min-height: 1.75rem; }
label.choice + .field, label.choice + p { margin-top: .6rem; }
a.action { display: inline-flex; align-items: center; min-height: 1.75rem; }
a[aria-current] { color: inherit; font-weight: 600; }
.field { margin-bottom: 1rem; }
button, .button { display: inline-block; font: inherit; font-weight: 600; padding: .5rem 1.1rem; min-height: 2.5rem;
  border: 1px solid var(--accent); border-radius: .3rem; background: var(--accent); color: var(--on-accent);
  cursor: pointer; text-decoration: none; text-align: center; max-width: 100%; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); }
button.danger, .button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
select.short { width: auto; min-height: 2rem; padding: .2rem .4rem; }
button.link { border: 0; padding: 0; min-height: 0; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
button.copy { font-size: .85rem; font-weight: 400; padding: .1rem .6rem; min-height: 1.75rem; background: transparent; color: var(--accent); }
dialog { color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .5rem; padding: 1.25rem; max-width: min(28rem, calc(100vw - 2rem)); }
dialog::backdrop { background: #0008; }
dialog h2 { margin-top: 0; }
.wide { width: 100%; }
.stack > * { margin-bottom: .6rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.notice { border-left: 4px solid var(--edge); background: var(--card); padding: .6rem 1rem; margin-bottom: 1rem; }
.notice.bad { border-color: var(--bad); color: var(--bad); }
.notice.warn { border-color: var(--warn); color: var(--warn); }
.notice.good { border-color: var(--good); color: var(--good); }
.notice p, .notice ul { margin: 0; }
.notice.bad a { color: inherit; }
.status { white-space: nowrap; font-weight: 600; color: var(--soft); }
.status.good { color: var(--good); }
.status.bad { color: var(--bad); }
.status.warn { color: var(--warn); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; margin-bottom: .8rem; }
.card > :last-child { margin-bottom: 0; }
.card p { margin: 0 0 .4rem; }
.empty { background: var(--card); border: 1px dashed var(--edge); border-radius: .5rem; padding: 1.5rem; margin-bottom: 1rem; text-align: center; }
.empty p { margin: 0 0 .8rem; }
.empty p:last-child { margin: 0; }
.chips { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.chips a { display: inline-flex; align-items: center; min-height: 1.9rem; padding: 0 .7rem; border: 1px solid var(--edge);
  border-radius: 1rem; color: inherit; text-decoration: none; background: var(--card); }
.chips a[aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
.list { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin-bottom: 1rem; }
.list td, .list th { vertical-align: baseline; }
.list td p { margin: 0; }
@media (min-width: 64rem) { .list time { white-space: nowrap; } }
.numbers { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 0 0 1rem; }
.numbers div { min-width: 5rem; }
.numbers dt { color: var(--soft); }
.numbers dd { margin: 0; font-size: 1.4rem; font-variant-numeric: tabular-nums; }
iframe.mail { width: 100%; height: 22rem; resize: vertical; border: 1px solid var(--line); border-radius: .5rem; background: #fff; color-scheme: light; }
pre { white-space: pre-wrap; margin: 0 0 1rem; padding: .8rem; background: var(--card); border: 1px solid var(--line); border-radius: .3rem;
  font: .9rem/1.4 ui-monospace, monospace; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input.short { width: auto; min-height: 2rem; padding: .1rem .4rem; }
ul.plain { list-style: none; padding: 0; }
details { margin: 0 0 1rem; }
summary { min-height: 1.75rem; cursor: pointer; }
details[open] > summary { margin-bottom: .5rem; }
fieldset.switch { display: flex; gap: .3rem 1rem; border: 0; padding: 0; margin: 0 0 .5rem; }
fieldset.switch legend { float: left; padding: 0; margin-right: 1rem; }
fieldset.switch label { font-weight: 400; display: inline-flex; gap: .4rem; align-items: center; min-height: 1.75rem; margin: 0; }
.preview:has(.phone:checked) iframe.mail { max-width: 23.4rem; }
ol.timeline { list-style: none; padding: 0; border-left: 2px solid var(--line); margin-left: .4rem; }
ol.timeline > li { padding: 0 0 .8rem 1rem; }
.table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; margin-bottom: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .8rem; border-top: 1px solid var(--line); }
thead th { overflow-wrap: normal; border-top: 0; color: var(--soft); font-weight: 600; }
dl.facts { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; align-items: baseline; }
dl.facts dt { color: var(--soft); }
dl.facts dd { margin: 0; }
code, .code { font: .9em ui-monospace, monospace; }
.url { padding: .6rem; border-radius: .3rem; background: var(--paper); border: 1px solid var(--line); max-height: 9rem; overflow-y: auto; }
${CHART_STYLE}@media (max-width: 48rem) {
  .list thead { display: none; }
  .list tr { display: block; padding: .6rem .8rem; border-top: 1px solid var(--line); }
  .list tbody tr:first-child { border-top: 0; }
  .list th[scope=row] { display: block; padding: 0; border: 0; }
  .list td { display: grid; grid-template-columns: 6.2rem minmax(0, 1fr); gap: .5rem; padding: .15rem 0; border: 0; }
  .list td:has(> div:empty) { display: none; }
  .list td::before { content: attr(data-column); color: var(--soft); }
  header.bar .who .soft { display: none; }
  input, select, textarea { font-size: 16px; }
}
@media (max-width: 30rem) { dl.facts { grid-template-columns: 1fr; } dl.facts dt { margin-top: .5rem; } }
@media (prefers-reduced-motion: no-preference) { a, button { transition: background-color .1s; } }
`;

/** Name of the stylesheet. It changes with the content, so browsers may cache the file for ever. */
export const STYLE_FILE = `style-${crc32(STYLE).toString(16)}.css`;
