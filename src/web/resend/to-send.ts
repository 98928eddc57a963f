import { parseDisplayAddress } from "../../lib/display-address.ts";
import type { SendIn } from "../../sending/emails/index.ts";
import { toSendAt, toTag } from "./rules.ts";
import type { ResendEmail } from "./schema.ts";

/** Translates an email of Resend's package to a send request. `now` is in milliseconds since 1970. */
export const toSend = (email: ResendEmail, now: number): SendIn => ({
  from_: toMailbox(email.from),
  to: toMailboxes(email.to),
  cc: email.cc ? toMailboxes(email.cc) : null,
  bcc: email.bcc ? toMailboxes(email.bcc) : null,
  reply_to: email.reply_to ? toMailboxes(email.reply_to)[0] : null,
  subject: email.subject ?? (email.template ? null : ""),
  html: email.html,
  text: email.text,
  text_from_html: email.text !== "",
  headers: email.headers,
  tags: email.tags?.map(toTag),
  send_at: email.scheduled_at ? toSendAt(email.scheduled_at, now) : undefined,
  attachments: email.attachments?.map(({ content, path: _, ...file }) => ({ ...file, content_base64: content })),
  template_id: email.template?.id,
  variables: email.template?.variables ?? undefined,
});

const toMailboxes = (addresses: string | string[]) => [addresses].flat().map(toMailbox);

/** Parses `Name <address>`. A text that is no address stays as it is, so that the check of the send names its error. */
function toMailbox(text: string): { email: string; name: string | null } {
  const parsed = parseDisplayAddress(text);
  return parsed ? { email: parsed.address, name: parsed.name } : { email: text, name: null };
}
