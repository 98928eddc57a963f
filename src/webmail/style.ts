import { crc32 } from "../lib/crc32.ts";

/** What the pages of webmail add to the stylesheet of every page. */
export const WEBMAIL_STYLE = `.webmail main { max-width: 80rem; }
.webmail nav[popover] .button { margin-bottom: 1rem; }
.webmail nav .group a { justify-content: space-between; gap: .5rem; }
.webmail nav .group a span:first-child { min-width: 0; }
.webmail nav .group a .soft { flex: none; }
.webmail nav .group p button { padding: 0; }
.dot { flex: none; }
.tag { display: inline-flex; align-items: center; gap: .3rem; flex: none; font-size: .8rem; font-weight: 400; line-height: 1.4; color: var(--soft);
  padding: 0 .4rem; border: 1px solid var(--line); border-radius: .3rem; white-space: nowrap; background: var(--card); }
.unseen { flex: none; width: .55rem; height: .55rem; border-radius: 50%; background: var(--accent); overflow: hidden; text-indent: 2rem; white-space: nowrap; }
.star { flex: none; color: var(--warn); width: 1.1em; overflow: hidden; white-space: nowrap; display: inline-block; vertical-align: bottom; font-weight: 400; }
button.tag { min-height: 1.75rem; padding: 0 .6rem; border-color: var(--edge); color: inherit; }
.notice.undo { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; color: inherit; }
.notice.undo p { flex: 1; }
.webmail header.bar .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.webmail .actions :is(button, .button), .webmail button.quiet, .webmail a.button.quiet, .webmail .bulk select { min-height: 2.1rem; padding: .2rem .8rem; }
.webmail .title { align-items: center; }
.webmail .title h1 { margin: 0; }
form.find { display: flex; flex-wrap: wrap; gap: .5rem .8rem; align-items: center; margin: 0; }
form.find input[type=search] { width: 16rem; min-height: 2.1rem; padding: .2rem .6rem; }
form.find label.choice { align-items: center; padding: 0; }
.bulk { display: flex; flex-wrap: wrap; gap: .5rem .8rem; align-items: center; padding: .5rem .75rem; background: var(--card);
  border: 1px solid var(--line); border-radius: .5rem .5rem 0 0; }
.bulk select { width: auto; max-width: 14rem; }
.bulk .all { min-width: 7rem; }
.bulk .all:empty { display: none; }
.bulk .all label { align-items: center; gap: .75rem; padding: 0; }
.bulk input, .pick input { width: 1.1rem; height: 1.1rem; margin: 0; }
.bulk #total { margin-left: auto; }
.list-form:has(#rows .empty) .bulk { display: none; }
ul.messages { list-style: none; margin: 0 0 1rem; padding: 0; background: var(--card); border: 1px solid var(--line); border-top: 0;
  border-radius: 0 0 .5rem .5rem; }
ul.messages li { display: grid; grid-template-columns: 1.75rem 12rem minmax(0, 1fr) max-content; gap: 0 .75rem; align-items: center;
  min-height: 2.4rem; padding: 0 .75rem 0 0; border-top: 1px solid var(--line); }
ul.messages li:first-child { border-top: 0; }
ul.messages li:hover, ul.messages li:focus-within { background: var(--paper); }
ul.messages li.unread a, ul.messages li.unread .who { font-weight: 600; }
ul.messages .pick { display: flex; align-items: center; justify-content: end; min-height: 2.4rem; padding: 0; margin: 0; width: 1.9rem; }
ul.messages .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
ul.messages .what { display: flex; align-items: center; gap: .5rem; min-width: 0; }
ul.messages .what a { flex: 0 1 auto; min-width: 3rem; min-height: 1.75rem; line-height: 1.75rem; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; color: inherit; text-decoration: none; }
ul.messages .what a:hover { text-decoration: underline; }
ul.messages .preview { flex: 1 1 0; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--soft); }
ul.messages time { min-width: 5rem; text-align: right; color: var(--soft); font-size: .9rem; white-space: nowrap; }
.webmail article { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1.25rem; margin-bottom: 1rem; }
.webmail article h1 { margin-bottom: .5rem; }
.webmail article.compose { max-width: 55rem; }
.webmail main > .actions { margin-bottom: 1rem; }
.webmail .labels, .webmail form.inline:has(select) { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
.webmail .labels { margin-bottom: .75rem; }
.webmail select.short { max-width: 12rem; min-height: 2.1rem; }
.webmail article iframe.mail { height: 55vh; resize: none; border: 0; border-radius: .3rem;
  width: calc(100% + 16px); margin: .5rem -8px; }
pre.mail { font: inherit; border: 0; padding: .5rem 0; overflow-wrap: anywhere; }
ul.files, ul.thread { list-style: none; padding: 0; }
ul.thread li { padding: .1rem 0; border-top: 1px solid var(--line); }
ul.thread li:first-child { border-top: 0; }
ul.thread a { min-height: 1.75rem; display: inline-flex; align-items: center; }
.foot { margin: 0; }
.compose details { margin-bottom: 1rem; }
.compose summary { cursor: pointer; min-height: 1.75rem; }
.attach { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: 0 .8rem; align-items: end; margin-bottom: .5rem; }
.attach fieldset { grid-column: 1 / 3; }
.attach button.quiet { margin-bottom: 1rem; min-height: 2.5rem; }
.compose .actions { margin-bottom: .5rem; }
fieldset .hint { margin: .2rem 0 0; }
ul.places { list-style: none; padding: 0; }
ul.places form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0; padding: .4rem 0; border-bottom: 1px solid var(--line); }
ul.places input[type=text] { flex: 1 1 10rem; max-width: 24rem; width: auto; }
ul.places .danger { min-height: 2.1rem; padding: .2rem .8rem; }
input[type=color] { width: 3rem; padding: .2rem; flex: none; }
dl.keys { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; }
dl.keys dd { margin: 0; }
kbd { font: .9em ui-monospace, monospace; }
@media (max-width: 48rem) {
  ul.messages li { grid-template-columns: 1.75rem minmax(0, 1fr) max-content; padding-top: .4rem; padding-bottom: .4rem; align-items: start; }
  ul.messages .pick { grid-row: 1 / 3; min-height: 2rem; }
  ul.messages .who { grid-column: 2; }
  ul.messages time { grid-column: 3; grid-row: 1; min-width: 0; }
  ul.messages .what { grid-column: 2 / 4; flex-wrap: wrap; gap: .1rem .4rem; }
  ul.messages .what a { white-space: normal; line-height: 1.35; min-height: 1.75rem; display: flex; align-items: center; }
  ul.messages .preview { flex: 1 0 100%; }
  form.find, search, form.find input[type=search] { width: 100%; }
  .bulk #total { margin-left: 0; }
  .bulk select { max-width: 9.5rem; }
  .webmail article { padding: 1rem; }
  .attach { grid-template-columns: minmax(0, 1fr); }
  .attach fieldset { grid-column: 1; }
  .attach button { justify-self: start; }
}
`;

/** Name of the stylesheet. It changes with the content, so browsers may cache the file for ever. */
export const WEBMAIL_STYLE_FILE = `webmail-${crc32(WEBMAIL_STYLE).toString(16)}.css`;
