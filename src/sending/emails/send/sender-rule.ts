/** A mailbox of the caller's workspace, with its domain. A catch-all receives only, so it is none. */
export interface SenderMailbox {
  address: string;
  is_active: number;
  domain_id: string;
  domain: string;
  domain_status: string;
}

/**
 * Returns the mailbox if the caller may send from it, or why it may not send from the address `asked`
 * (docs/contract/emails.md#sender-rule).
 * `domainIds` are the domains that the caller's credential is restricted to; null for all.
 */
export function applySenderRule<Mailbox extends SenderMailbox>(
  mailbox: Mailbox | null | undefined,
  asked: string,
  domainIds: ReadonlySet<string> | null,
): { mailbox: Mailbox } | { error: string } {
  if (!mailbox) return { error: `The sender must be an allocated mailbox of this workspace; ${asked} is not` };
  const { address, domain, domain_status: status } = mailbox;
  if (!mailbox.is_active) return { error: `The sender's mailbox ${address} is not active` };
  if (status !== "verified") return { error: `The sender's domain ${domain} is ${status}; it must be verified` };
  if (domainIds && !domainIds.has(mailbox.domain_id)) return { error: `This credential may not send from ${domain}` };
  return { mailbox };
}
