import { html } from "hono/html";
import { frame, type Markup } from "../../captured-mail/pages/frame.ts";
import type { Override } from "../overrides.ts";
import type { DnsRecord } from "../server.ts";
import { SPECIAL_NAMES } from "../special-names.ts";
import type { Publication } from "../zone.ts";

/** What DNS answers: each zone with its records, overrides, and the special names. `publications` is null while the API is not up. */
export function zonesPage(publications: Publication[] | null, overrides: Override[]): Markup {
  return frame(
    "DNS",
    html`<header class="top"><h1>DNS</h1><span class="count">${countOf(publications ?? [])}</span></header>
<p class="lead">What the service finds when it looks a domain up. The owners of all <code>*.test</code> domains have
published what the API told them; no other name exists, and nobody else is asked.</p>
${publications ? zones(publications) : html`<p class="empty">The API does not answer, so every question gets SERVFAIL.</p>`}
${overrides.length > 0 ? overridden(overrides) : ""}
${specialNames()}
${howToOverride()}`,
  );
}

function countOf(publications: Publication[]): string {
  return publications.length === 1 ? "1 domain" : `${publications.length} domains`;
}

function zones(publications: Publication[]): Markup {
  if (publications.length === 0) return html`<p class="empty">No <code>*.test</code> domain is registered yet.</p>`;
  return html`${publications.map(
    ({ domain, records }) => html`<details class="tryouts" open><summary>${domain.name} (${domain.status})</summary>
${records.length > 0 ? table(records) : html`<p>Nothing is published.</p>`}
</details>`,
  )}`;
}

function overridden(overrides: Override[]): Markup {
  const records = overrides.flatMap(({ name, type, values }) =>
    (values.length > 0 ? values : ["(no such record)"]).map((value) => ({ name, type, value })),
  );
  return html`<details class="tryouts" open><summary>Overrides</summary>${table(records)}</details>`;
}

function table(records: DnsRecord[]): Markup {
  return html`<table class="headers"><thead><tr><th>Type</th><th>Name</th><th>Value</th></tr></thead><tbody>
${records.map(
  ({ type, name, value, priority }) => html`<tr><td>${type}</td><td>${name}</td>
<td>${priority === undefined ? "" : `${priority} `}${value}</td></tr>`,
)}
</tbody></table>`;
}

function specialNames(): Markup {
  return html`<details class="tryouts" open><summary>Try a domain that fails</summary>
<p>Register a name that begins like one of these, then verify it.</p>
<table><thead><tr><th>Name</th><th>What its DNS does</th></tr></thead><tbody>
${SPECIAL_NAMES.map(({ prefix, does }) => html`<tr><td><code>${prefix}….test</code></td><td>${does}</td></tr>`)}
</tbody></table></details>`;
}

function howToOverride(): Markup {
  const body = '{"name": "shop.test", "type": "TXT", "values": ["v=spf1 -all"]}';
  return html`<details class="tryouts"><summary>Publish something else</summary>
<p><code>PUT /records</code> with <code>${body}</code> takes the place of what is published for this name and type;
no values mean that there is no such record, and an MX value is <code>10 mx.example.test</code>.
<code>DELETE /records?name=shop.test&amp;type=TXT</code> takes that back, and so does a restart.</p></details>`;
}
