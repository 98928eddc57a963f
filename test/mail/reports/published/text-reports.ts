// Whole report mails without a machine-readable part: older programs, and programs whose report is HTML only.
import { RECIPIENT, type TextReport } from "./rows.ts";

const QMAIL = `Hi. This is the qmail-send program at mx.receiver.example.
I'm afraid I wasn't able to deliver your message to the following addresses.
This is a permanent error; I've given up. Sorry it didn't work out.

<${RECIPIENT}>:
`;

const qmail = (right: TextReport["right"], reason: string): TextReport => ({
  source: "qmail, qmail-send.c, qmail-local.c and qmail-remote.c",
  right,
  recipient: RECIPIENT,
  from: "MAILER-DAEMON@mx.receiver.example",
  subject: "failure notice",
  type: "text/plain",
  body: `${QMAIL}${reason}\n\n--- Below this line is a copy of the message.\n\n`,
});

const exim = (right: TextReport["right"], reason: string): TextReport => ({
  source: "Exim, src/moan.c and src/deliver.c",
  right,
  recipient: RECIPIENT,
  from: "Mail Delivery System <Mailer-Daemon@relay.example>",
  subject: "Mail delivery failed: returning message to sender",
  type: "text/plain",
  body: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of its
recipients. This is a permanent error. The following address(es) failed:

  ${RECIPIENT}
    ${reason}

------ This is a copy of the message, including all the headers. ------

`,
});

const domino = (right: TextReport["right"], reason: string, footer = ""): TextReport => ({
  source: "Lotus Domino, totalcsi.com/help/help85_admin.nsf and sitepackage.de",
  right,
  recipient: RECIPIENT,
  from: "Postmaster@receiver.example",
  subject: "DELIVERY FAILURE",
  type: "text/plain",
  body: `Your message

  Subject: News of December

was not delivered to:

  ${RECIPIENT}

because:

  ${reason}
${footer}`,
});

const exchange = (right: TextReport["right"], subject: string, sentence: string, diagnosis: string): TextReport => ({
  source: "Exchange 2010 and Exchange Online, hilfe.cloud4you.biz and learn.microsoft.com",
  right,
  recipient: RECIPIENT,
  from: "Microsoft Exchange <postmaster@receiver.example>",
  subject,
  type: "text/html",
  body: `<html><head><style>p { font-family: Segoe UI }</style></head><body>
<p><b>${sentence}</b></p>
<p><a href="mailto:${RECIPIENT}">${RECIPIENT}</a></p>
<p>${diagnosis}</p></body></html>`,
});

const BLOCKED_BY_DISCLAIMER = `
______________________________________________________________________
This message has been scanned for viruses and dangerous content by MailScanner.
If you are not the intended recipient, or the addressee is unknown at this
address, the e-mail account does not exist for you: delete this message.
`;

export const TEXT_REPORTS: readonly TextReport[] = [
  qmail("hard", "Sorry, no mailbox here by that name. (#5.1.1)"),
  qmail("hard", "Sorry, I couldn't find any host named receiver.example. (#5.1.2)"),
  qmail(
    "soft",
    "192.0.2.99 does not like recipient.\nRemote host said: 550 anna@receiver.example...User account is overquota\nGiving up on 192.0.2.99.",
  ),
  qmail(
    "soft",
    "Sorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long.",
  ),
  qmail(
    "soft",
    "CNAME lookup failed temporarily. (#4.4.3)\nI'm not going to try again; this message has been in the queue too long.",
  ),
  exim(
    "hard",
    `SMTP error from remote mail server after RCPT TO:<${RECIPIENT}>:\n    host mx.receiver.example [192.0.2.99]: 550 User unknown`,
  ),
  exim("soft", "host mx.receiver.example [192.0.2.99]: Connection timed out: retry timeout exceeded"),
  domino("hard", `User anna (${RECIPIENT}) not listed in Domino Directory`),
  domino("soft", "Router: Database disk quota exceeded", BLOCKED_BY_DISCLAIMER),
  exchange(
    "hard",
    "Unzustellbar: News of December",
    "Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Verteilerlisten:",
    "Die eingegebene E-Mail-Adresse konnte nicht gefunden werden. Diagnoseinformationen für Administratoren: Generierender Server: mail.receiver.example #550 5.1.1 RESOLVER.ADR.RecipNotFound; not found ##",
  ),
  exchange(
    "hard",
    "Non remis : News of December",
    "Échec de la remise à ces destinataires ou groupes :",
    "L'adresse de messagerie que vous avez entrée est introuvable. Remote Server returned '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'",
  ),
  exchange(
    "soft",
    "Undeliverable: News of December",
    `Your message to ${RECIPIENT} couldn't be delivered.`,
    "The group only accepts messages from people in its organization or on its allowed senders list, and your email address isn't on the list. Remote Server returned '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; authentication required'",
  ),
  {
    source: "Exchange 5.5 to 2003, System Administrator's report, uniroma3.it and Microsoft KB 284204",
    right: "hard",
    recipient: RECIPIENT,
    from: "System Administrator <postmaster@receiver.example>",
    subject: "Undeliverable: News of December",
    type: "text/plain",
    body: `Your message did not reach some or all of the intended recipients.

      Subject:  News of December
      Sent:     12/1/2026 7:00 AM

The following recipient(s) could not be reached:

      ${RECIPIENT} on 12/1/2026 7:01 AM
            The e-mail account does not exist at the organization this message was sent to.  Check the e-mail address, or contact the recipient directly to find out the correct address.
            <mail.receiver.example #5.1.1>
`,
  },
  {
    source: "Exchange 5.5 to 2003, System Administrator's report, Microsoft KB 284204",
    right: "soft",
    recipient: RECIPIENT,
    from: "System Administrator <postmaster@receiver.example>",
    subject: "Undeliverable: News of December",
    type: "text/plain",
    body: `Your message did not reach some or all of the intended recipients.

The following recipient(s) could not be reached:

      ${RECIPIENT} on 12/1/2026 7:01 AM
            You do not have permission to send to this recipient.  For assistance, contact your system administrator.
            <mail.receiver.example #5.7.1 smtp;550 5.7.1 Unable to relay for ${RECIPIENT}>
`,
  },
  {
    source: "MDaemon, PermErr.dat",
    right: "hard",
    recipient: RECIPIENT,
    from: "MAILER-DAEMON@receiver.example",
    subject: "Permanent Delivery Failure",
    type: "text/plain",
    body: `The attached message had PERMANENT fatal delivery errors!

After one or more unsuccessful delivery attempts the attached message has
been removed from the mail queue on this server.

YOUR MESSAGE WAS NOT DELIVERED TO ONE OR MORE RECIPIENTS!

Failed address: ${RECIPIENT}

--- Session Transcript ---
 Tue 2026-12-01 07:00:01: <-- 220 mx.receiver.example ESMTP
 Tue 2026-12-01 07:00:01: --> RCPT To:<${RECIPIENT}>
 Tue 2026-12-01 07:00:01: <-- 550 <${RECIPIENT}>, Recipient unknown
--- End Transcript ---
`,
  },
  {
    source: "MDaemon, PermErr.dat",
    right: "soft",
    recipient: RECIPIENT,
    from: "MAILER-DAEMON@receiver.example",
    subject: "Permanent Delivery Failure",
    type: "text/plain",
    body: `The attached message had PERMANENT fatal delivery errors!

Failed address: ${RECIPIENT}

--- Session Transcript ---
 Tue 2026-12-01 07:00:01: --> RCPT To:<${RECIPIENT}>
 Tue 2026-12-01 07:00:01: <-- 552 Message for <${RECIPIENT}> would exceed mailbox quota
--- End Transcript ---
`,
  },
  {
    source: "Yahoo, the report of its own servers, pastebin.com collections",
    right: "hard",
    recipient: RECIPIENT,
    from: "MAILER-DAEMON@yahoo.com",
    subject: "Failure Notice",
    type: "text/plain",
    body: `Sorry, we were unable to deliver your message to the following address.

<${RECIPIENT}>:
This user doesn't have a receiver.example account (${RECIPIENT}) [-9]

--- Below this line is a copy of the message.

`,
  },
  {
    source: "Gmail before 2017, pastebin.com/fQ60ipr4",
    right: "hard",
    recipient: RECIPIENT,
    from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
    subject: "Delivery Status Notification (Failure)",
    type: "text/plain",
    body: `Delivery to the following recipient failed permanently:

     ${RECIPIENT}

Technical details of permanent failure:
Google tried to deliver your message, but it was rejected by the recipient domain. We recommend contacting the other email provider for further information about the cause of this error. The error that the other server returned was: 550 550 5.1.1 User unknown: ${RECIPIENT} (state 14).

----- Original message -----

`,
  },
  {
    source: "Sendmail 8.8, savemail.c",
    right: "hard",
    recipient: RECIPIENT,
    from: "Mail Delivery Subsystem <MAILER-DAEMON@relay.example>",
    subject: "Returned mail: Host unknown",
    type: "text/plain",
    body: `The original message was received at Tue, 1 Dec 2026 07:00:00 +0000

   ----- The following addresses had permanent fatal errors -----
<${RECIPIENT}>

   ----- Transcript of session follows -----
550 <${RECIPIENT}>... Host unknown (Name server: receiver.example: host not found)

   ----- Original message follows -----

`,
  },
  {
    source: "1&1 IONOS, ionos.de/hilfe, Fehlermeldungen bei unzustellbarer E-Mail",
    right: "soft",
    recipient: RECIPIENT,
    from: "Mail Delivery System <mailer-daemon@kundenserver.de>",
    subject: "Mail delivery failed: returning message to sender",
    type: "text/plain",
    body: `This message was created automatically by mail delivery software.

A message that you sent could not be delivered to one or more of
its recipients. The following addresses failed:

<${RECIPIENT}>

For the following reason:

Quota Exceeded. The mailbox of the recipient is full.

--- The header of the original message is following. ---

`,
  },
  {
    source: "QQ Mail, qqmailbox.com/transceivers/169.html",
    right: "hard",
    recipient: RECIPIENT,
    from: "PostMaster@qq.com",
    subject: "系统退信",
    type: "text/html",
    body: `<div>抱歉,您的邮件被退回来了……</div><div>收件人邮件地址(${RECIPIENT})不存在,邮件无法送达。</div><div>退信原因:该用户不存在</div><div>host mx.receiver.example said: 550 Mailbox not found</div>`,
  },
  {
    source: "QQ Mail, qqmailbox.com/transceivers/169.html",
    right: "soft",
    recipient: RECIPIENT,
    from: "PostMaster@qq.com",
    subject: "系统退信",
    type: "text/html",
    body: `<div>抱歉,您的邮件被退回来了……</div><div>收件人(${RECIPIENT})的邮箱空间不足,邮件无法送达。</div><div>退信原因:收件人空间不足</div>`,
  },
];
