/** Style sheet of all pages: one column, system fonts, light and dark. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#1c2024, #e8eaed); --soft: light-dark(#5f6872, #9aa4af); --line: light-dark(#e2e5e9, #32383f);
  --paper: light-dark(#f6f7f9, #14171a); --card: light-dark(#ffffff, #1d2125); --accent: light-dark(#1f5fbf, #7db1ff);
  --hover: light-dark(#f0f4fa, #252b32);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
a { color: var(--accent); }
code, pre { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; }
.top { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; }
.count, .lead, .note, .size, time { color: var(--soft); }
.lead { margin: .25rem 0 1.25rem; }
.mails, .empty, .view, .panel { background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.mails { list-style: none; margin: 0; padding: 0; overflow: hidden; }
.mails li + li { border-top: 1px solid var(--line); }
.mail { display: grid; grid-template: "subject time" "people size" / 1fr auto; gap: .1rem 1rem; padding: .7rem 1rem;
  color: inherit; text-decoration: none; }
.mail:hover, .mail:focus-visible { background: var(--hover); }
.subject { grid-area: subject; font-weight: 600; }
.people { grid-area: people; color: var(--soft); }
.people b { color: var(--ink); font-weight: 500; }
.subject, .people { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.mail time { grid-area: time; text-align: right; font-variant-numeric: tabular-nums; }
.size { grid-area: size; text-align: right; font-variant-numeric: tabular-nums; }
.empty { margin: 0; padding: 2.5rem 1.5rem; text-align: center; color: var(--soft); }
.pager { display: flex; justify-content: space-between; padding: 1rem .25rem; color: var(--soft); }
.panel { margin-top: 1.5rem; padding: .75rem 1rem; }
.panel summary { cursor: pointer; font-weight: 600; }
.panel table { width: 100%; border-collapse: collapse; }
.panel th, .panel td { padding: .4rem .75rem .4rem 0; text-align: left; border-top: 1px solid var(--line); vertical-align: top; }
.back { margin-bottom: 1rem; }
.back a { text-decoration: none; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; margin: 1rem 0; }
.facts dt { color: var(--soft); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.attachments { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.attachments li { padding: .4rem .8rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.attachments span { color: var(--soft); }
.views { display: flex; flex-wrap: wrap; }
.views > input { position: absolute; opacity: 0; }
.views > label { padding: .35rem .9rem; margin-bottom: .6rem; border-radius: 999px; color: var(--soft); cursor: pointer; }
.views > input:checked + label { background: var(--accent); color: var(--paper); }
.views > input:focus-visible + label { outline: 2px solid var(--accent); outline-offset: 2px; }
.view { display: none; flex-basis: 100%; order: 1; padding: 1rem; min-width: 0; }
.views > input:nth-of-type(1):checked ~ .view:nth-of-type(1), .views > input:nth-of-type(2):checked ~ .view:nth-of-type(2),
.views > input:nth-of-type(3):checked ~ .view:nth-of-type(3), .views > input:nth-of-type(4):checked ~ .view:nth-of-type(4) { display: block; }
.view pre { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.view .note { margin: 0 0 .75rem; }
iframe { display: block; width: 100%; height: 32rem; margin-bottom: .75rem; border: 0; border-radius: 6px; background: #fff; resize: vertical; }
.headers { width: 100%; border-collapse: collapse; }
.headers th { padding: .3rem 1rem .3rem 0; text-align: left; vertical-align: top; font-weight: 500; color: var(--soft); white-space: nowrap; }
.headers td { padding: .3rem 0; font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
.records { overflow-x: auto; }
.records th, .records td { padding: .4rem 1.5rem .4rem 0; }
.records td { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; white-space: nowrap; }
.records td:last-child { min-width: 20rem; padding-right: 0; white-space: normal; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  .records thead { display: none; }
  .records tr { display: block; padding: .5rem 0; border-top: 1px solid var(--line); }
  .records td, .records td:last-child { display: block; min-width: 0; padding: 0; border: 0; white-space: normal; overflow-wrap: anywhere; }
  main { padding: 1.25rem .75rem 3rem; }
  .headers tr { display: block; padding: .3rem 0; }
  .headers th, .headers td { display: block; padding: 0; }
}
`;
