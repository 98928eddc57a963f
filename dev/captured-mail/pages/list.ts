import { html } from "hono/html";
import { FAILURE_ADDRESSES } from "../../egress/failure-addresses.ts";
import type { CapturedMail } from "../mail-store.ts";
import type { Summary } from "../reader.ts";
import { formatSize, formatTime, frame, type Markup } from "./frame.ts";

interface ListPage {
  rows: ({ mail: CapturedMail } & Summary)[];
  page: number;
  pages: number;
  total: number;
}

/** Polls for new mail and replaces the list. The scroll position does not change. */
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

/** Returns the list page: captured mail, newest first, and the failure addresses. */
export function listPage({ rows, page, pages, total }: ListPage): Markup {
  const newest = page === 1 ? (rows[0]?.mail.id ?? "") : "";
  return frame(
    "Captured mail",
    html`<header class="top"><h1>Captured mail</h1><span id="count" class="count">${countOf(total)}</span></header>
<p class="lead">All email that the local service has sent. It is stored on this machine and was not delivered to anyone.</p>
<section id="list" data-newest="${newest}">
${rows.length > 0 ? html`<ol class="mails">${rows.map(row)}</ol>` : emptyList()}
${pages > 1 ? pager(page, pages) : ""}
</section>
${failureAddresses()}`,
    page === 1 ? REFRESH : "",
  );
}

function row({ mail, subject, from }: ListPage["rows"][number]): Markup {
  return html`<li><a class="mail" href="/view/${mail.id}">
<span class="subject">${subject || "(no subject)"}</span>
<span class="people"><b>${mail.to.join(", ")}</b> from ${from || "(no From header)"}</span>
<time datetime="${mail.received_at}">${formatTime(mail.received_at)}</time>
<span class="size">${formatSize(mail.size)}</span>
</a></li>`;
}

function countOf(total: number): string {
  return total === 1 ? "1 mail" : `${total} mails`;
}

function emptyList(): Markup {
  return html`<p class="empty">No mail yet. Send one with the <code>curl</code> command that <code>npm start</code> printed.
This page updates every two seconds.</p>`;
}

function pager(page: number, pages: number): Markup {
  return html`<nav class="pager">
${page > 1 ? html`<a href="/?page=${page - 1}">Newer</a>` : html`<span></span>`}
<span>Page ${page} of ${pages}</span>
${page < pages ? html`<a href="/?page=${page + 1}">Older</a>` : html`<span></span>`}
</nav>`;
}

function failureAddresses(): Markup {
  return html`<details class="panel"><summary>Test a failed delivery</summary>
<p>Send to one of these addresses, at any domain. Labels work too: <code>bounce+1@example.org</code>.</p>
<table><thead><tr><th>Recipient</th><th>SMTP reply</th><th>Effect</th></tr></thead><tbody>
${FAILURE_ADDRESSES.map(
  ({ localPart, reply, command, outcome }) => html`<tr><td><code>${localPart}@</code></td>
<td><code>${reply}</code> to ${command}</td>
<td>${outcome}</td></tr>`,
)}
</tbody></table></details>`;
}
