import { addressKey } from "../../lib/addresses.ts";
import { isAutomatic, type ReceivedMail } from "../../mail/reports/index.ts";
import { isSignedAddress } from "../../platform/mail-tokens/index.ts";

/** An email that may get a reply. */
export interface IncomingEmail extends ReceivedMail {
  /** Addresses in To and Cc. */
  addressed: readonly string[];
  /** Canonical address of the mailbox. */
  mailbox: string;
}

/**
 * Returns whether the email itself permits an automatic reply to its return path (RFC 3834 2,
 * docs/contract/inbound.md#automatic-replies): a person wrote it to the mailbox. The return paths of the service read bounces only.
 * Pure.
 */
export function mayReply(email: IncomingEmail): boolean {
  const { from, addressed, mailbox } = email;
  if (addressKey(from) === mailbox || isSignedAddress(from) || isAutomatic(email)) return false;
  return addressed.some((address) => isMailbox(address, mailbox));
}

/** Returns whether an address is that of a mailbox, with or without a plus-label. */
function isMailbox(address: string, mailbox: string): boolean {
  const key = addressKey(address);
  return key === mailbox || key.replace(/\+[^@]*(?=@)/, "") === mailbox;
}
