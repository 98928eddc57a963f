/** Subject of a failure: the address itself, its whole domain, or anything else. */
export type FailureClass = "address" | "domain" | "other";

/** Enhanced status codes with what they say; `class` is null for codes that say nothing beyond "failed". Any other code is another reason. */
const STATUS_CODES: readonly { codes: RegExp; class: FailureClass | null; source: string }[] = [
  { codes: /^5\.[0-4]\.0$/, class: null, source: "RFC 3463 3.1: undefined details" },
  {
    codes: /^5\.5\.\d{1,3}$/,
    class: null,
    source: "Outlook.com refuses unknown mailboxes with 5.5.0, others any mail",
  },
  {
    codes: /^5\.3\.2$/,
    class: null,
    source: "RFC 7504: a closed domain; RFC 3463 3.4: a server that is closed for a while",
  },
  { codes: /^5\.1\.[1346]$/, class: "address", source: "RFC 3463 3.2: unknown, bad syntax, ambiguous, moved" },
  {
    codes: /^5\.1\.10$/,
    class: "address",
    source: "Exchange, for unknown recipients; RFC 7505 defines it as a null MX",
  },
  { codes: /^5\.2\.1$/, class: "address", source: "RFC 3463 3.3: disabled" },
  { codes: /^5\.7\.17$/, class: "address", source: "RFC 7293 3.2: the mailbox has a new owner" },
  {
    codes: /^5\.(?:1\.2|4\.4)$/,
    class: "domain",
    source: "RFC 3463 3.2, 3.5: bad destination system, unable to route",
  },
  { codes: /^5\.1\.351$/, class: "domain", source: "Exchange Online: the remote server is unknown or refused" },
  { codes: /^5\.4\.31[02]$/, class: "domain", source: "Exchange Online: no such domain, the DNS query failed" },
];

/** Returns the class of an enhanced status code (RFC 3463); null when the code says nothing. */
export function classifyStatus(status: string | null): FailureClass | null {
  if (status === null) return null;
  const row = STATUS_CODES.find(({ codes }) => codes.test(status));
  return row === undefined ? "other" : row.class;
}
