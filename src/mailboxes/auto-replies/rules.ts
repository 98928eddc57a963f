/** When the automatic reply of a mailbox is on (docs/contract/inbound.md#automatic-replies). Pure. */

/** The automatic reply of a mailbox. Times are in ms since 1970. */
export interface AutoReplyRow {
  is_active: 0 | 1;
  starts_at: number | null;
  ends_at: number | null;
  subject: string | null;
  text: string;
}

/** Returns whether emails that arrive at a time get a reply. */
export function isReplying({ is_active, starts_at, ends_at }: Omit<AutoReplyRow, "subject" | "text">, at: number) {
  return is_active === 1 && (starts_at === null || at >= starts_at) && (ends_at === null || at < ends_at);
}
