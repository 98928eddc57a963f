import { canonicalDomain } from "../../lib/address-domain.ts";
import { addressKey } from "../../lib/addresses.ts";
import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import type { Authentication } from "../../mail/authentication-results/stored-results.ts";
import { isAutomatic, type ReceivedMail } from "../../mail/reports/automatic-mail.ts";
import { isSignedAddress } from "../../platform/mail-tokens/return-path.ts";

/** An email that may get a reply. */
export interface IncomingEmail extends ReceivedMail {
  /** Addresses in To and Cc. */
  addressed: readonly string[];
  /** Canonical address of the mailbox. */
  mailbox: string;
  authentication: Authentication | null;
}

/**
 * Returns whether the email itself permits an automatic reply to its return path (RFC 3834 2, docs/contract/inbound.md#automatic-replies):
 * a person wrote it to the mailbox, and its return path is not forged. The return paths of the service read bounces only. Pure.
 */
export function mayReply(email: IncomingEmail): boolean {
  const { from, addressed, mailbox } = email;
  if (addressKey(from) === mailbox || isSignedAddress(from) || isAutomatic(email) || !isAuthentic(email)) return false;
  return addressed.some((address) => isMailbox(address, mailbox));
}

/** Returns whether an address is that of a mailbox, with or without a plus-label. */
function isMailbox(address: string, mailbox: string): boolean {
  const key = addressKey(address);
  return key === mailbox || key.replace(/\+[^@]*(?=@)/, "") === mailbox;
}

/** Returns whether SPF or DKIM passes for the domain of the return path. A signature may be that of a domain above it. */
function isAuthentic({ from, authentication }: IncomingEmail): boolean {
  const canonical = (domain: string | null) => domain && canonicalDomain(domain);
  const domain = canonical(from.slice(from.lastIndexOf("@") + 1));
  if (!domain || !authentication) return false;
  const { spf, dkim } = authentication;
  if (spf?.result === "pass" && canonical(spf.domain) === domain) return true;
  const signers = dkim.flatMap(({ result, domain: signer }) => (result === "pass" && canonical(signer)) || []);
  return signers.some((signer) => isAtOrBelow(domain, signer));
}
