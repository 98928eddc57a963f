import type { Reply } from "../../src/mail/smtp/transport.ts";

/** Codes X.7.x that speak of the sender's rate or reputation (RFC 3463, RFC 7372, and those above 499 of Microsoft). */
const PACE_CODE = /^4\.7\.(0|1|28|[5-9]\d\d)$/;
/** The mailbox of the recipient is the reason (RFC 3463 3.2, 3.3), or security and policy: then the code tells all. */
const CODE_WITHOUT_WORDS = /^4\.[127]\./;
const PACE_WORDS =
  /too (many|much) (bytes|data|traffic)|too many (concurrent |simultaneous )?(connections|messages|sessions)|rate ?limit|sending rate|too (fast|quickly)|slow down|throttl|frequency limit|max(imum)? (number of )?(concurrent |simultaneous )?connections/i;
/** Words about the connections at a time. */
const CONNECTION_WORDS =
  /too many (concurrent |simultaneous )?(connections|sessions)|max(imum)? (number of )?(concurrent |simultaneous )?connections/i;
/** Reasons with such a code that sending more slowly does not change: a first attempt, the set-up of DNS, signatures, TLS. */
const OTHER_WORDS =
  /gr[ea]y-?list|reverse|hostname|\bptr\b|\bspf\b|\bdkim\b|\bdmarc\b|authenticat|starttls|\btls\b|certificate|\bhelo\b|\bsending domain\b|temporary server error|organization queue/i;

/** Returns whether a reply asks this source address to send more slowly. Pure. */
export function isSlowDown({ code, enhanced, text }: Reply): boolean {
  if (code < 400 || code > 499 || OTHER_WORDS.test(text)) return false;
  if (enhanced === null) return PACE_WORDS.test(text);
  return PACE_CODE.test(enhanced) || (!CODE_WITHOUT_WORDS.test(enhanced) && PACE_WORDS.test(text));
}

/** Returns whether a reply that asks to slow down is about the number of connections, and not about the rate. Pure. */
export function isAboutConnections({ text }: Reply): boolean {
  return CONNECTION_WORDS.test(text);
}

const BYTE_WORDS = /\b(?:bytes|bandwidth|[kmg]i?b|amount of data|too much (?:data|traffic))\b/i;

/** Returns whether a reply that asks to slow down is about bytes in a time, and not about messages. Pure. */
export function isAboutBytes({ text }: Reply): boolean {
  return BYTE_WORDS.test(text);
}

/** Returns whether a reply says that the message has all recipients that it may have (RFC 5321 4.5.3.1.10). Pure. */
export function isAboutRecipients({ enhanced, text }: Reply): boolean {
  return enhanced === null ? /too many recipients/i.test(text) : enhanced === "4.5.3";
}

/** Words about the messages on one connection, as of Exim, Sendmail and others. */
const ONE_CONNECTION_WORDS =
  /\b(?:messages?|e?mails?|transactions?|deliveries)\b[^.;]{0,40}\b(?:per|in|on|for|over|during) (?:this |the |one |a |each |same |single |smtp )*(?:connection|session)\b/i;

/** Returns whether a reply says that its connection has taken all messages that it may. Pure. */
export function isAboutOneConnection({ text }: Reply): boolean {
  return ONE_CONNECTION_WORDS.test(text);
}
