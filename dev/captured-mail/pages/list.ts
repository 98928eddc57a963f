import { html } from "hono/html";
import { FAILURE_ADDRESSES } from "../../egress/failure-addresses.ts";
import type { CapturedMail } from "../mail-store.ts";
import { formatSize, formatTime, frame, type Markup } from "./frame.ts";

interface ListPage {
  rows: { mail: CapturedMail; subject: string }[];
  page: number;
  pages: number;
  total: number;
}

/** Looks for new mail and puts the new list in place; where one has scrolled to stays as it is. */
const REFRESH = `
const list = document.getElementById("list");
setInterval(async () => {
  if (document.hidden) return;
  try {
    const [newest] = await (await fetch("/messages?limit=1")).json();
    if ((newest ? newest.id : "") === list.dataset.newest) return;
    const next = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
    const fresh = next.getElementById("list");
    list.replaceChildren(...fresh.childNodes);
    list.dataset.newest = fresh.dataset.newest;
    document.getElementById("count").textContent = next.getElementById("count").textContent;
  } catch {}
}, 2000);`;

/** All captured mail, newest first. */
export function listPage({ rows, page, pages, total }: ListPage): Markup {
  const newest = page === 1 ? (rows[0]?.mail.id ?? "") : "";
  return frame(
    "Captured mail",
    html`<header class="top"><h1>Captured mail</h1><span id="count" class="count">${countOf(total)}</span></header>
<p class="lead">Everything the service sent out. It was kept here and went no further.</p>
<section id="list" data-newest="${newest}">
${rows.length > 0 ? html`<ol class="mails">${rows.map(row)}</ol>` : nothingYet()}
${pages > 1 ? pager(page, pages) : ""}
</section>
${tryouts()}`,
    page === 1 ? REFRESH : "",
  );
}

function row({ mail, subject }: ListPage["rows"][number]): Markup {
  return html`<li><a class="mail" href="/view/${mail.id}">
<span class="subject">${subject || "(no subject)"}</span>
<span class="people"><b>${mail.to.join(", ")}</b> from ${mail.from || "<>"}</span>
<time datetime="${mail.received_at}">${formatTime(mail.received_at)}</time>
<span class="size">${formatSize(mail.size)}</span>
</a></li>`;
}

function countOf(total: number): string {
  return total === 1 ? "1 mail" : `${total} mails`;
}

function nothingYet(): Markup {
  return html`<p class="empty">No mail yet. Send one with the <code>curl</code> line that <code>npm start</code> printed;
it shows up here by itself.</p>`;
}

function pager(page: number, pages: number): Markup {
  return html`<nav class="pager">
${page > 1 ? html`<a href="/?page=${page - 1}">Newer</a>` : html`<span></span>`}
<span>Page ${page} of ${pages}</span>
${page < pages ? html`<a href="/?page=${page + 1}">Older</a>` : html`<span></span>`}
</nav>`;
}

function tryouts(): Markup {
  return html`<details class="tryouts"><summary>Try a failed delivery</summary>
<p>Send to one of these, at any domain. A label works too: <code>bounce+1@example.org</code>.</p>
<table><thead><tr><th>Recipient</th><th>Answer</th><th>What becomes of it</th></tr></thead><tbody>
${FAILURE_ADDRESSES.map(
  (tryout) => html`<tr><td><code>${tryout.localPart}@</code></td>
<td><code>${tryout.reply}</code> to ${tryout.at === "RCPT" ? "the recipient" : "the message"}</td>
<td>${tryout.outcome}</td></tr>`,
)}
</tbody></table></details>`;
}
