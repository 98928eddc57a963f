/**
 * Phrases of the bounces of mail systems that send no RFC 3464 report. Phrases are in lower case, with straight
 * apostrophes and single spaces, like the text that `flatten` returns.
 */

import type { Action } from "./feedback.ts";

interface Wording {
  system: string;
  says: string;
  action: Action & ("failed" | "delayed");
}

/** In order of precedence: delays first, because a delay notice quotes the wording of a failure. */
export const WORDINGS: readonly Wording[] = [
  { system: "postfix", says: "this is a warning only. you do not need to resend your message", action: "delayed" },
  { system: "sendmail", says: "this is a warning message only", action: "delayed" },
  { system: "sendmail", says: "the following addresses had transient non-fatal errors", action: "delayed" },
  { system: "exim", says: "has not yet been delivered to one or more of its recipients", action: "delayed" },
  { system: "exim", says: "no action is required on your part. delivery attempts will continue", action: "delayed" },
  { system: "exchange", says: "delivery is delayed to these recipients", action: "delayed" },
  { system: "iis", says: "delivery to the following recipients has been delayed", action: "delayed" },
  { system: "gmail", says: "delivery to the following recipient has been delayed", action: "delayed" },
  { system: "gmail", says: "there was a temporary problem delivering your message", action: "delayed" },
  { system: "courier", says: "the delivery of the following e-mail message has been delayed", action: "delayed" },
  { system: "qmail", says: "this is the qmail-send program", action: "failed" },
  { system: "qmail", says: "wasn't able to deliver your message to the following addresses", action: "failed" },
  { system: "yahoo", says: "unable to deliver your message to the following address", action: "failed" },
  { system: "yahoo", says: "unable to deliver message to the following address", action: "failed" },
  { system: "postfix", says: "i'm sorry to have to inform you that", action: "failed" },
  { system: "sendmail", says: "the following addresses had permanent fatal errors", action: "failed" },
  { system: "sendmail", says: "----- transcript of session follows -----", action: "failed" },
  { system: "sendmail", says: "the following addresses have delivery notifications", action: "failed" },
  { system: "exim", says: "could not be delivered to one or more of its recipients", action: "failed" },
  { system: "exim", says: "the following address(es) failed", action: "failed" },
  { system: "mail.ru", says: "не может быть доставлено одному или нескольким получателям", action: "failed" },
  { system: "exchange", says: "did not reach the following recipient(s)", action: "failed" },
  { system: "exchange", says: "did not reach some or all of the intended recipients", action: "failed" },
  { system: "exchange", says: "delivery has failed to these recipients or", action: "failed" },
  { system: "exchange", says: "diagnostic information for administrators", action: "failed" },
  { system: "exchange", says: "fehler bei der nachrichtenzustellung an folgende empfänger", action: "failed" },
  { system: "exchange", says: "échec de la remise pour ces destinataires", action: "failed" },
  { system: "office365", says: "couldn't be delivered", action: "failed" },
  { system: "iis", says: "delivery to the following recipients failed", action: "failed" },
  { system: "gmail", says: "delivery to the following recipient failed permanently", action: "failed" },
  { system: "gmail", says: "delivery to the following recipients failed permanently", action: "failed" },
  { system: "gmail", says: "your message wasn't delivered to", action: "failed" },
  { system: "notes", says: "------- failure reasons", action: "failed" },
  { system: "domino", says: "was not delivered to:", action: "failed" },
  { system: "groupwise", says: "the message that you sent was undeliverable to the following", action: "failed" },
  { system: "courier", says: "your message to the following recipients cannot be delivered", action: "failed" },
  { system: "smail", says: "failed addresses follow:", action: "failed" },
  { system: "mdaemon", says: "the attached message had permanent fatal delivery errors", action: "failed" },
  { system: "james", says: "this is the james mail server at", action: "failed" },
  { system: "opensmtpd", says: "an error has occurred while attempting to deliver a message", action: "failed" },
  { system: "sun", says: "your message cannot be delivered to the following recipients", action: "failed" },
  {
    system: "ses",
    says: "error occurred while trying to deliver the mail to the following recipients",
    action: "failed",
  },
  { system: "mercury", says: "was not able to deliver your message to the following addresses", action: "failed" },
  { system: "any", says: "your message could not be delivered", action: "failed" },
  { system: "any", says: "your message was not delivered", action: "failed" },
  { system: "any", says: "your e-mail could not be delivered", action: "failed" },
];

/** Beginnings of bounce subjects, in lower case. They count only in mail from a mail system. */
export const SUBJECTS: readonly { says: string; action: "failed" | "delayed" }[] = [
  { says: "delivery status notification (delay)", action: "delayed" },
  { says: "delayed mail", action: "delayed" },
  { says: "warning: message", action: "delayed" },
  { says: "warning: could not send message", action: "delayed" },
  { says: "delivery status notification (failure)", action: "failed" },
  { says: "delivery status notification(failure)", action: "failed" },
  { says: "undelivered mail returned to sender", action: "failed" },
  { says: "undeliverable:", action: "failed" },
  { says: "undeliverable mail", action: "failed" },
  { says: "undeliverable message", action: "failed" },
  { says: "mail delivery failed", action: "failed" },
  { says: "mail delivery failure", action: "failed" },
  { says: "mail system error - returned mail", action: "failed" },
  { says: "message delivery failure", action: "failed" },
  { says: "delivery failure", action: "failed" },
  { says: "delivery failed", action: "failed" },
  { says: "failure notice", action: "failed" },
  { says: "returned mail", action: "failed" },
  { says: "unzustellbar:", action: "failed" },
  { says: "non remis", action: "failed" },
  { says: "no se puede entregar:", action: "failed" },
];

/** The returned mail begins at a line that contains one of these phrases (lower case). */
export const RETURNED: readonly string[] = [
  "below this line is a copy of the message",
  "enclosed is a copy of the message",
  "this is a copy of the message",
  "this is a copy of your message",
  "----- original message",
  "-----original message",
  "----- message header follows",
  "----- unsent message follows",
  "----- returned message",
  "----- undelivered message",
  "----- message text follows",
  "original message headers:",
  "original message header:",
  "original message follows",
  "the header of the original message is following",
  "en-têtes de message d'origine",
];
