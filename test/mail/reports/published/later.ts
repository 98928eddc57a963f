// 30 failures from sources that the other tables do not use, written after the last change of the classification.
import { type DeliveryReports, RECIPIENT, type Refusals, type TextReport } from "./rows.ts";

export const LATER_REFUSALS: readonly Refusals[] = [
  { source: "Stalwart, stalwartlabs/stalwart#2460", rows: [["hard", "rcpt", "550 5.1.2 Mailbox does not exist."]] },
  {
    source: "AT&T and Barracuda, smtp.codes/550",
    rows: [
      ["hard", "rcpt", "550 5.2.1 <anna@prodigy.net>... Addressee unknown, relay=[192.0.2.25]"],
      ["hard", "rcpt", "550 5.2.1 <anna@prodigy.net>... blank mailhost - invalid address, relay=[192.0.2.25]"],
      [
        "soft",
        "rcpt",
        "550 5.7.1 Connections not accepted from servers without a valid sender domain. ## Fix reverse DNS for 192.0.2.25",
      ],
      ["hard", "rcpt", "550 cuda_nsu 5.1.1 <anna@receiver.example> Recipient address rejected: User unknown"],
      ["soft", "data", "550 rejecting spoofed message"],
    ],
  },
  {
    source: "WEDOS, pastebin.com/6JA7cVwM",
    rows: [
      [
        "soft",
        "rcpt",
        "550 5.7.1 <news@sender.example>: Sender address rejected: mailbox disabled - DEBUG: dom sender.example",
      ],
    ],
  },
  {
    source: "Dutch hosts, weboke.nl, carerix.com, exedo.nl and strato.nl, E-mail foutmeldingen",
    rows: [
      ["soft", "rcpt", "554 No relaying allowed - psmtp"],
      ["soft", "rcpt", "550 5.1.0 Recipient rejected."],
      ["hard", "rcpt", "550 no mailbox by that name is currently available"],
      ["soft", "rcpt", "552 The recipient has exceeded their mailbox limit"],
      ["soft", "data", "554 Refused by local policy. No SPAM please! (B-URL)"],
    ],
  },
  {
    source: "mailRelay, portal.iridis.uk knowledge base 254",
    rows: [
      ["hard", "rcpt", "550 RPT-VFY: Recipient does not exist (anna@receiver.example)"],
      ["hard", "rcpt", "550 RPT-VFY: Recipient domain does not exist"],
      ["soft", "rcpt", "550 SND-VFY: Sender domain does not exist"],
      [
        "soft",
        "rcpt",
        "550 MSG-DOM: Envelope-From (news@sender.example) The 'From' address does not use a domain authorised for relay",
      ],
    ],
  },
  { source: "BlueTie, mxtoolbox.com/Bouncebacks", rows: [["hard", "rcpt", "550 Recipient Unknown"]] },
  {
    source: "maddy, foxcpp/maddy#535",
    rows: [["soft", "data", "554 5.0.0 Internal server error (msg ID = 8647979a)"]],
  },
  {
    source: "intohost.in, Common bounce-back errors",
    rows: [["hard", "rcpt", "550 5.1.10 Recipient domain not found"]],
  },
  {
    source: "CleverReach, support.cleverreach.de, Meaning of bounce messages",
    rows: [
      ["soft", "rcpt", "550 only registered users may use this system"],
      ["soft", "data", "550 message could not be stored"],
    ],
  },
];

export const LATER_REPORTS: readonly DeliveryReports[] = [
  {
    source: "Infomaniak, infomaniak.com FAQ 858",
    notice: "I'm sorry to have to inform you that your message could not be delivered to one or more recipients.",
    rows: [
      ["hard", "5.1.1", "smtp; 550 5.1.1 anna@receiver.example recipient rejected, account administratively disabled"],
    ],
  },
  {
    source: "Amazon SES, clinician.rgnmed.com, Bounced emails; Mailgun, help.loxo.co",
    notice: "An error occurred while trying to deliver the mail to the following recipients:",
    rows: [
      ["hard", "5.1.2", "smtp; 553 5.1.2 Unknown mail server. Could not find a mail server for receiver.example"],
      ["hard", "5.4.4", "smtp; 550 5.4.4 Invalid domain"],
      ["soft", "4.4.7", "smtp; 550 4.4.7 Message expired: unable to deliver in 840 minutes."],
      [
        "soft",
        "5.1.1",
        "Amazon SES has suppressed sending to this address because it has a recent history of bouncing as an invalid address.",
      ],
      ["soft", "5.0.0", "smtp; 605 Not delivering to previously bounced address"],
    ],
  },
];

const smarterMail = (reason: string): TextReport => ({
  source: "SmarterMail, kb.indsoft.net, Common email delivery errors",
  right: "soft",
  recipient: RECIPIENT,
  from: "System Administrator <postmaster@receiver.example>",
  subject: "Delivery Failure",
  type: "text/plain",
  body: `Could not deliver message to the following recipient(s):

Failed Recipient: ${RECIPIENT}
Reason: ${reason}
`,
});

export const LATER_TEXTS: readonly TextReport[] = [
  smarterMail("The mailbox is full"),
  smarterMail("The domain size limit has been exceeded"),
  {
    source: "Exim, weboke.nl, Email foutmeldingen",
    right: "soft",
    recipient: RECIPIENT,
    from: "Mail Delivery System <Mailer-Daemon@relay.example>",
    subject: "Mail delivery failed: returning message to sender",
    type: "text/plain",
    body: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${RECIPIENT}
    retry time not reached for any host after a long failure period

------ This is a copy of the message, including all the headers. ------

`,
  },
];
