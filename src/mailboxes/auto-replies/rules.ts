import { addressKey, parseAddress } from "../../lib/addresses.ts";

/** When an email gets a reply automatically (RFC 3834 2, docs/contract/inbound.md#automatic-replies). Pure. */

/** Programs and lists, which do not read replies. */
const NOT_A_PERSON =
  /^(?:owner-.*|.*-owner|.*-request|.*-bounces?|bounces?(?:[-+=].*)?|mailer-daemon|postmaster|listserv|majordomo|(?:no|do[-_.]?not)[-_.]?reply.*)$/i;

const LIST_FIELDS = [
  ...["list-id", "list-post", "list-help", "list-subscribe", "list-unsubscribe", "list-owner", "list-archive"],
  ...["x-mailing-list", "x-autoreply", "x-autorespond"],
];

/** An email that may get a reply. */
export interface IncomingEmail {
  /** Envelope sender. */
  from: string;
  fields: { all(name: string): readonly string[] };
  /** Addresses in To and Cc. */
  addressed: readonly string[];
  /** Canonical address of the mailbox. */
  mailbox: string;
}

/** Returns whether the email itself permits an automatic reply to its return path. */
export function mayReply({ from, fields, addressed, mailbox }: IncomingEmail): boolean {
  const sender = parseAddress(from);
  if (!sender || sender.key === mailbox || NOT_A_PERSON.test(sender.local)) return false;
  const has = (name: string, pattern: RegExp) => fields.all(name).some((value) => pattern.test(value));
  if (has("auto-submitted", /^(?!\s*no\s*(?:;|$))/i)) return false;
  if (has("precedence", /^\s*(?:bulk|list|junk)\s*$/i)) return false;
  if (has("x-auto-response-suppress", /all|oof|autoreply/i)) return false;
  if (has("content-type", /^\s*multipart\/report/i)) return false;
  if (LIST_FIELDS.some((name) => fields.all(name).length > 0)) return false;
  return addressed.some((address) => isMailbox(address, mailbox));
}

/** Returns whether an address is that of a mailbox, with or without a plus-label. */
function isMailbox(address: string, mailbox: string): boolean {
  const key = addressKey(address);
  return key === mailbox || key.replace(/\+[^@]*(?=@)/, "") === mailbox;
}

/** The automatic reply of a mailbox. Times are in ms since 1970. */
export interface Schedule {
  is_active: number;
  starts_at: number | null;
  ends_at: number | null;
}

/** Returns whether emails that arrive at a time get a reply. */
export function isReplying({ is_active, starts_at, ends_at }: Schedule, at: number): boolean {
  return is_active === 1 && (starts_at === null || at >= starts_at) && (ends_at === null || at < ends_at);
}
