import { html } from "hono/html";
import type { Address, Email } from "postal-mime";
import type { CapturedMail } from "../mail-store.ts";
import { formatAddress } from "../reader.ts";
import { formatSize, formatTime, frame, type Markup } from "./frame.ts";

const SOURCE_LIMIT = 200_000;

/** Returns the page of one captured mail: HTML, text, headers and source. */
export function mailPage(mail: CapturedMail, email: Email, raw: Buffer): Markup {
  const subject = email.subject || "(no subject)";
  const views = [
    ...(email.html ? [{ name: "HTML", body: htmlView(mail.id) }] : []),
    ...(email.text ? [{ name: "Text", body: html`<pre class="text">${email.text}</pre>` }] : []),
    { name: "Headers", body: headersView(email) },
    { name: "Source", body: sourceView(mail.id, raw) },
  ];
  return frame(
    subject,
    html`<nav class="back"><a href="/">&larr; All captured mail</a></nav>
<header class="top"><h1>${subject}</h1></header>
<dl class="facts">
${field("From", email.from ? addresses([email.from]) : "")}
${field("To", addresses(email.to ?? []))}
${field("Cc", addresses(email.cc ?? []))}
${field("Reply to", addresses(email.replyTo ?? []))}
${field("Envelope", `${mail.from || "<>"} → ${mail.to.join(", ")}`)}
${field("Received", `${formatTime(mail.received_at)}, ${formatSize(mail.size)}`)}
</dl>
${attachmentsView(mail.id, email)}
<section class="views">
${views.map(
  (view, index) => html`<input type="radio" name="view" id="view-${index}" ${index === 0 ? "checked" : ""}>
<label for="view-${index}">${view.name}</label>`,
)}
${views.map((view) => html`<div class="view">${view.body}</div>`)}
</section>`,
  );
}

function htmlView(id: string): Markup {
  return html`<iframe title="The mail's HTML" src="/view/${id}/html" referrerpolicy="no-referrer"
 sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>
<p class="note">Scripts and remote images are blocked.</p>`;
}

function headersView(email: Email): Markup {
  return html`<table class="headers"><tbody>
${email.headers.map((header) => html`<tr><th>${header.originalKey}</th><td>${header.value}</td></tr>`)}
</tbody></table>`;
}

function sourceView(id: string, raw: Buffer): Markup {
  const shown = raw.subarray(0, SOURCE_LIMIT).toString("utf8");
  return html`<p class="note"><a href="/messages/${id}" download="${id}.eml">Download the message</a>${
    raw.length > SOURCE_LIMIT ? `; the first ${formatSize(SOURCE_LIMIT)} are shown` : ""
  }</p><pre>${shown}</pre>`;
}

function attachmentsView(id: string, email: Email): Markup | "" {
  if (email.attachments.length === 0) return "";
  return html`<ul class="attachments">${email.attachments.map((attachment, index) => {
    const size = (attachment.content as ArrayBuffer).byteLength;
    const kind = attachment.disposition === "inline" ? ", inline" : "";
    return html`<li><a href="/view/${id}/attachments/${index}">${attachment.filename ?? "attachment"}</a>
<span>${attachment.mimeType}, ${formatSize(size)}${kind}</span></li>`;
  })}</ul>`;
}

function field(name: string, value: string): Markup | "" {
  return value ? html`<dt>${name}</dt><dd>${value}</dd>` : "";
}

function addresses(list: Address[]): string {
  return list.map(formatAddress).join(", ");
}
