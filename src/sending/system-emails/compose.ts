import { escapeHtml } from "../../lib/placeholders.ts";
import { textColorOn } from "../../lib/text-color.ts";
import type { Brand } from "../../platform/brands/brand.ts";
import type { SystemEmail, SystemEmailPart, SystemEmailStep } from "../../platform/service-mail/system-email.ts";

/** The service with its public host, or a workspace that writes to its recipients by it. */
type Sender = { service: string; host: string } | { brand: Brand; origin: string; language: string };

/** Returns the plain text of an email: its parts, with an empty line between them. */
export function composeText({ parts }: Pick<SystemEmail, "parts">): string {
  const texts = parts.map((part) => (typeof part === "string" ? part : `${part.ask}\n${part.url}`));
  return `${texts.join("\n\n")}\n`;
}

/** Returns the head, the foot, and the colour of buttons of an email, as HTML. */
export function frameOf(sender: Sender) {
  if ("service" in sender) {
    const [service, host] = [escapeHtml(sender.service), escapeHtml(sender.host)];
    const head = `<span class="mark" style="${MARK}">&#10003;</span>&nbsp; ${service}`;
    return { head, foot: `Sent by ${service}, ${host}`, language: "en", color: undefined };
  }
  const { brand, origin, language } = sender;
  const [name, address] = [escapeHtml(brand.name), escapeHtml(brand.address ?? "").replaceAll("\n", "<br>")];
  const logo = brand.logo ? `<img src="${origin}/i/${brand.logo}" alt="" height="40" style="height:40px"><br>` : "";
  return { head: logo + name, foot: address === "" ? name : `${name}<br>${address}`, language, color: brand.color };
}

// Inline styles are for programs that ignore the style element. Its rules are for dark colours, which need `!important` to
// replace inline ones.
const DARK = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.paper{background:#161513!important}.card{background:#1e1c1a!important;border-color:#302d2a!important}
.ink{color:#edebe7!important}.soft,.soft a{color:#aca79e!important}
.button{background:#edebe7!important;color:#161513!important}.mark{background:#a6b6ff!important;color:#161513!important}
}`;
const FONT = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const MARK =
  "display:inline-block;width:22px;height:22px;border-radius:6px;background:#3d4fb8;color:#ffffff;font-size:14px;line-height:22px;text-align:center";
const BUTTON =
  "display:inline-block;background:#1f1d1a;color:#ffffff;border-radius:8px;padding:9px 16px;font-weight:600;text-decoration:none";

/** Returns the HTML of an email of a sender: no images but its logo, and readable in light and dark. */
export function composeHtml({ subject, parts }: Pick<SystemEmail, "subject" | "parts">, sender: Sender): string {
  const { head, foot, language, color } = frameOf(sender);
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><title>${escapeHtml(subject)}</title><style>${DARK}</style></head>
<body class="paper" style="margin:0;background:#faf9f7"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" class="paper" style="background:#faf9f7"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;font:14px/21px ${FONT}">
<tr><td class="ink" style="padding:0 0 16px;color:#1f1d1a;font-weight:600">${head}</td></tr>
<tr><td class="card ink" style="background:#ffffff;border:1px solid #e7e4de;border-radius:12px;padding:28px;color:#1f1d1a">
<h1 class="ink" style="margin:0 0 16px;font-size:18px;line-height:24px;font-weight:600;color:#1f1d1a">${escapeHtml(subject)}</h1>
${parts.map((part) => toHtml(part, color)).join("\n")}
</td></tr>
<tr><td class="soft" style="padding:16px 0 0;font-size:13px;color:#5d5953">${foot}</td></tr>
</table></td></tr></table></body></html>
`;
}

const toHtml = (part: SystemEmailPart, color: string | undefined) =>
  typeof part === "string" ? paragraph(part) : step(part, color);

const paragraph = (text: string) => `<p style="margin:0 0 16px">${escapeHtml(text).replaceAll("\n", "<br>")}</p>`;

/** The button, and below it the link as text, for programs that show no links. */
function step({ label, url, ask }: SystemEmailStep, color: string | undefined): string {
  const link = escapeHtml(url);
  // A colour of the sender is the same in the dark.
  const button = color
    ? `style="${BUTTON.replace("#1f1d1a", color).replace("#ffffff", textColorOn(color))}"`
    : `class="button" style="${BUTTON}"`;
  return `<p style="margin:0 0 16px"><a href="${link}" ${button}>${escapeHtml(label)}</a></p>
<p class="soft" style="margin:0 0 16px;font-size:13px;color:#5d5953">${escapeHtml(ask)}<br><a class="soft" href="${link}" style="color:#5d5953;word-break:break-all">${link}</a></p>`;
}
