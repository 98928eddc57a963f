/** Results of the checks of an incoming message (RFC 8601), as the server that received it found them. */
export interface Authentication {
  spf: string | null;
  dkim: string | null;
  dmarc: string | null;
  /** The policy of the sender's domain. */
  dmarc_policy: "none" | "quarantine" | "reject" | null;
}

/** Returns whether DMARC asks for a message to be kept out of INBOX (RFC 7489 6.3). */
export function failsDmarc({ dmarc, dmarc_policy }: Authentication): boolean {
  return dmarc === "fail" && (dmarc_policy === "quarantine" || dmarc_policy === "reject");
}
