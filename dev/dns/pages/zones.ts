import { html } from "hono/html";
import { frame, type Markup } from "../../captured-mail/pages/frame.ts";
import type { Override } from "../overrides.ts";
import type { DnsRecord } from "../record.ts";
import { SPECIAL_NAMES } from "../special-names.ts";
import type { Publication } from "../zone.ts";

/** Returns the DNS page: records of each domain, overrides and special names. `publications` is null while the API is down. */
export function zonesPage(publications: Publication[] | null, overrides: Override[]): Markup {
  return frame(
    "DNS",
    html`<header class="top"><h1>DNS</h1><span class="count">${countOf(publications ?? [])}</span></header>
<p class="lead">The DNS records that the local service sees. Every registered <code>*.test</code> domain has the records
that the API asks for. Other names exist when a zone file with them is imported; no other DNS server is queried.</p>
${publications ? zones(publications) : html`<p class="empty">The API does not answer, so every query is answered with SERVFAIL.</p>`}
${overrides.length > 0 ? overridden(overrides) : ""}
${specialNames()}
${importForm()}
${howToOverride()}`,
  );
}

function countOf(publications: Publication[]): string {
  return publications.length === 1 ? "1 domain" : `${publications.length} domains`;
}

function zones(publications: Publication[]): Markup {
  if (publications.length === 0) return html`<p class="empty">No <code>*.test</code> domain is registered yet.</p>`;
  return html`${publications.map(
    ({ domain, records }) => html`<details class="panel" open><summary>${domain.name} (${domain.status})</summary>
${records.length > 0 ? table(records) : html`<p>No record is published.</p>`}
</details>`,
  )}`;
}

function overridden(overrides: Override[]): Markup {
  const records = overrides.flatMap(({ name, type, values }) =>
    (values.length > 0 ? values : ["(no record)"]).map((value) => ({ name, type, value })),
  );
  return html`<details class="panel" open><summary>Imported records and overrides</summary>${table(records)}</details>`;
}

function table(records: DnsRecord[]): Markup {
  return html`<div class="records"><table><thead><tr><th>Type</th><th>Name</th><th>Value</th></tr></thead><tbody>
${records.map(
  ({ type, name, value, priority }) => html`<tr><td>${type}</td><td>${name}</td>
<td>${priority === undefined ? "" : `${priority} `}${value}</td></tr>`,
)}
</tbody></table></div>`;
}

function specialNames(): Markup {
  return html`<details class="panel" open><summary>Test a failed verification</summary>
<p>Register a name with one of these prefixes, then verify it.</p>
<table><thead><tr><th>Name</th><th>DNS behaviour</th></tr></thead><tbody>
${SPECIAL_NAMES.map(({ prefix, description: does }) => html`<tr><td><code>${prefix}….test</code></td><td>${does}</td></tr>`)}
</tbody></table></details>`;
}

function importForm(): Markup {
  return html`<details class="panel" open><summary>Import a zone file</summary>
<p>The page of a domain offers its records as a zone file. They exist here until a restart, whatever the name of the domain.</p>
<form method="post" action="/zone-file" enctype="multipart/form-data">
<label>Zone file <input type="file" name="file" required></label> <button type="submit">Import</button></form>
</details>`;
}

function howToOverride(): Markup {
  const body = '{"name": "shop.test", "type": "TXT", "values": ["v=spf1 -all"]}';
  return html`<details class="panel"><summary>Override a record</summary>
<p><code>PUT /records</code> with <code>${body}</code> replaces the published records of this name and type.
An empty <code>values</code> removes them. An MX value is <code>10 mx.example.test</code>.
<code>DELETE /records?name=shop.test&amp;type=TXT</code> or a restart deletes the override.</p></details>`;
}
