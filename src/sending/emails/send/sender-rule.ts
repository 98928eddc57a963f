/** A mailbox of the caller's workspace, with its domain. A catch-all receives only, so it is none. */
export interface SenderMailbox {
  address: string;
  is_active: number;
  domain_id: string;
  domain: string;
  domain_status: string;
  /** The addresses that its domain sends to, as a JSON list; null: all (SANDBOX_MEMBERS_SQL). */
  members: string | null;
}

/**
 * Returns the mailbox if the caller may send from it, or why it may not send from the address `asked`
 * (docs/contract/emails.md#sender-rule). `domainIds` are the domains that the caller's credential is restricted to; null for all.
 * `isSingle`: a single email by the API or a page, which alone a test domain sends.
 */
export function applySenderRule<Mailbox extends SenderMailbox>(
  mailbox: Mailbox | null | undefined,
  asked: string,
  domainIds: ReadonlySet<string> | null,
  isSingle: boolean = false,
): { mailbox: Mailbox } | { error: string } {
  if (!mailbox)
    return {
      error: `The sender must be a mailbox of this workspace, and ${asked} is none: create it under Mailboxes, or send from another one`,
    };
  const { address, domain, domain_status: status } = mailbox;
  if (!mailbox.is_active) return { error: `The sender's mailbox ${address} is not active` };
  if (status !== "verified") return { error: `The sender's domain ${domain} is ${status}; it must be verified` };
  if (domainIds && !domainIds.has(mailbox.domain_id)) return { error: `This credential may not send from ${domain}` };
  if (mailbox.members !== null && !isSingle)
    return { error: `The test domain ${domain} sends single emails by the API and the pages only` };
  return { mailbox };
}
