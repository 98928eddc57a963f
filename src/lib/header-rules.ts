/** Rules for header fields that a caller supplies, applied by the API and by the MIME composer. */

/** Longest name of a custom header, in characters. */
export const HEADER_NAME_CHARACTERS = 76;
/** Longest header line without its CRLF, in octets (RFC 5322 2.1.1). */
export const HEADER_LINE_BYTES = 998;

const HEADER_NAME = /^[A-Za-z0-9-]+$/;

/** Headers that only the service writes (docs/contract/emails.md#custom-headers). */
const SERVICE_HEADER =
  /^(?:from|to|cc|bcc|reply-to|subject|date|message-id|mime-version|authentication-results|received|return-path|sender|(?:content|dkim|arc|resent)-.*)$/i;

/** Headers that a relay obeys as commands: a caller could change how the egress sends (docs/contract/emails.md#custom-headers). */
const RELAY_HEADER = /^(?:x-smtpapi|tls-required|x-(?:mc|pm|ses|mailgun)-.*)$/i;

/** Headers that only the receiving side may write: a reader or a filter trusts them (docs/contract/emails.md#custom-headers). */
const RECEIVER_HEADER = /^(?:received.*|delivered-to|x-ms-exchange-.*|authentication-results.*|domainkey-signature)$/i;

/** The text between the angle brackets of a Content-ID (RFC 2045 7). */
const CONTENT_ID = /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.@]{1,250}$/;

/** Returns whether a custom header may have this name: 1 to 76 ASCII letters, digits and hyphens. */
export const isHeaderName = (name: string): boolean => name.length <= HEADER_NAME_CHARACTERS && HEADER_NAME.test(name);

/** Returns whether only the service may write this header. Letter case does not count. */
export const isServiceHeader = (name: string): boolean => SERVICE_HEADER.test(name);

/** Returns whether a relay obeys this header as a command. Letter case does not count. */
export const isRelayHeader = (name: string): boolean => RELAY_HEADER.test(name);

/** Returns whether only receiving servers may write this header. Letter case does not count. */
export const isReceiverHeader = (name: string): boolean => RECEIVER_HEADER.test(name);

/** Returns whether a Content-ID, given without angle brackets, is 1 to 250 characters of printable ASCII as allowed. */
export const isContentId = (id: string): boolean => CONTENT_ID.test(id);
