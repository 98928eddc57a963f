/** Days with reports, and messages in them, before the service advises a stricter policy. */
const [ENOUGH_DAYS, ENOUGH_MESSAGES] = [14, 100];
/** Share of aligned messages from which a stricter policy is safe. */
const SAFE_SHARE = 0.99;

/** Returns what the owner of a domain should do next, by its DMARC reports of a period. Pure. */
export function dmarcAdvice({ days, messages, aligned }: { days: number; messages: number; aligned: number }): string {
  if (messages === 0)
    return "No reports have come yet. Receivers send them once a day to the address after rua= in the DMARC record.";
  const share = aligned / messages;
  const others = messages - aligned;
  if (share < SAFE_SHARE)
    return `${percent(1 - share)} of the messages with this domain in From are not aligned (${others.toLocaleString("en")}). Find your own among the senders in the reports and give them DKIM keys or an SPF entry before you set p=quarantine or p=reject: receivers would refuse them.`;
  if (days < ENOUGH_DAYS || messages < ENOUGH_MESSAGES)
    return `So far ${percent(share)} of the messages are aligned. Wait for reports of ${ENOUGH_DAYS} days and ${ENOUGH_MESSAGES} messages before you set a stricter policy.`;
  return `${percent(share)} of the messages are aligned. You can set p=quarantine and, after two weeks without complaints, p=reject.`;
}

/** Returns what the owner of a domain should do next, by its TLS reports of a period. `record`: the one that asks for reports. Pure. */
export function tlsAdvice(
  { sessions, failed }: { sessions: number; failed: number },
  worst: string | null,
  record: string,
): string {
  if (sessions === 0)
    return `No reports have come yet. Other mail systems send them once a day when you publish the record: ${record}`;
  if (failed === 0) return "All reported connections to the servers of this domain used TLS without a failure.";
  const meaning = TLS_MEANINGS[worst ?? ""] ?? "the connection failed";
  return `${percent(failed / sessions)} of the connections failed (${failed.toLocaleString("en")}). Most often ${meaning}.`;
}

/** Meanings of the types of failures (RFC 8460 4.3), which follow "Most often". Other types are `other`. */
export const TLS_MEANINGS: Readonly<Record<string, string>> = {
  "starttls-not-supported": "the server did not offer STARTTLS: switch it on",
  "certificate-host-mismatch": "the certificate does not name the host of the MX record: request one for that name",
  "certificate-expired": "the certificate has expired: renew it",
  "certificate-not-trusted": "no known authority has signed the certificate: use one of a public authority",
  "validation-failure": "the certificate could not be validated",
  "tlsa-invalid": "no TLSA record matches the certificate: update the records before the certificate",
  "dnssec-invalid": "the signatures of DNSSEC are not valid: check the zone with your DNS provider",
  "dane-required": "the sender requires DANE and found no TLSA record",
  "sts-policy-fetch-error": "the MTA-STS policy could not be fetched: check the host mta-sts and its certificate",
  "sts-policy-invalid": "the MTA-STS policy is not valid",
  "sts-webpki-invalid": "the certificate of the host mta-sts is not valid",
};

/** Returns a share from 0 to 1 in percent, never 0 or 100 unless it is. */
function percent(share: number): string {
  const value = share * 100;
  const rounded = Math.min(Math.max(value, share > 0 ? 0.1 : 0), share < 1 ? 99.9 : 100);
  return `${rounded.toLocaleString("en", { maximumFractionDigits: rounded > 1 && rounded < 99 ? 0 : 1 })} %`;
}
