import { fromDaemon, lines, original, type Sample } from "./samples.ts";

const QMAIL = lines(
  "Hi. This is the qmail-send program at y.test.",
  "I'm afraid I wasn't able to deliver your message to the following addresses.",
  "",
  "<bob@y.test>:",
  "Sorry, no mailbox here by that name. (#5.1.1)",
);
const quoted = QMAIL.replace(/^/gm, "> ");

const person = (subject: string, more: string[], ...body: string[]) =>
  fromDaemon({ from: "Bob <bob@y.test>", subject, more }, ...body);
const respond = (name: string, subject: string, ...more: string[]): Sample => ({
  name,
  kind: "auto-reply",
  mail: person(subject, more, "I am away until Monday. Your message was not delivered to anyone else."),
});
const other = (name: string, mail: string): Sample => ({ name, kind: "other", mail });

const mixed = (from: string, subject: string, ...parts: string[]) =>
  fromDaemon(
    { from, subject, type: "multipart/mixed; boundary=m" },
    ...parts.flatMap((part) => ["--m", part]),
    "--m--",
  );
const REPORT_FIELDS =
  "Reporting-MTA: dns; y.test\n\nFinal-Recipient: rfc822; bob@y.test\nAction: failed\nStatus: 5.1.1";

/** Mail that resembles a bounce but is none. */
export const OTHERS: readonly Sample[] = [
  respond("vacation (RFC 5230)", "Re: Your receipt", "Auto-Submitted: auto-replied (vacation)"),
  respond(
    "Exchange, out of office",
    "Automatic reply: Your receipt",
    "Auto-Submitted: auto-generated",
    "Return-Path: <>",
  ),
  respond(
    "Outlook, German, encoded",
    "=?iso-8859-1?Q?Automatische_Antwort=3A_Ihre_Quittung?=",
    "X-Auto-Response-Suppress: All",
  ),
  respond("cPanel", "Away", "X-Autorespond: Your receipt", "Return-Path: <>"),
  respond("an old autoresponder", "Away", "Precedence: auto_reply"),
  respond("a plain subject", "Out of Office: Your receipt"),
  respond("French", "=?utf-8?q?R=C3=A9ponse_automatique_=3A_Votre_re=C3=A7u?="),
  {
    name: "a receipt (RFC 8098)",
    kind: "auto-reply",
    mail: fromDaemon(
      {
        from: "Bob <bob@y.test>",
        subject: "Read: Your receipt",
        type: "multipart/report; report-type=disposition-notification; boundary=r",
      },
      "--r",
      "",
      "Your message was displayed.",
      "--r",
      "Content-Type: message/disposition-notification",
      "",
      "Final-Recipient: rfc822;bob@y.test\nDisposition: manual-action/MDN-sent-manually; displayed",
      "--r--",
    ),
  },
  other("a person's reply", person("Re: Your receipt", ["In-Reply-To: <1@x.test>"], "Thanks!")),
  other(
    "a person writes of a failed delivery",
    person("Delivery failed", [], "Hello, my parcel's delivery failed. bob@y.test"),
  ),
  other(
    "a person quotes a bounce",
    person("Re: failure notice", ["In-Reply-To: <1@y.test>"], "What is this?", "", quoted),
  ),
  other("a person pastes a bounce", person("Help, failure notice", [], "What is this?", "", QMAIL)),
  other(
    "a postmaster replies, quoting a bounce",
    fromDaemon(
      { from: "Postmaster <postmaster@y.test>", subject: "Re: failure notice" },
      "We created bob's mailbox.",
      "",
      QMAIL,
    ),
  ),
  other(
    "a postmaster writes, quoting a bounce",
    fromDaemon(
      { from: "Postmaster <postmaster@y.test>", subject: "Your ticket 12" },
      "We created bob's mailbox.",
      "",
      quoted,
    ),
  ),
  other(
    "a postmaster writes of delivery failures",
    fromDaemon({ from: "Postmaster <postmaster@y.test>", subject: "Delivery failed last night" }, "It works again."),
  ),
  other(
    "a newsletter on bounces",
    person(
      "What a failure notice means",
      ["Precedence: bulk", "List-Unsubscribe: <https://y.test/u>", "List-Id: <n.y.test>"],
      QMAIL,
    ),
  ),
  other(
    "a person forwards a bounce as an attachment",
    mixed(
      "Bob <bob@y.test>",
      "Fwd: failure notice",
      "Content-Type: text/plain\n\nSee attached.",
      `Content-Type: message/rfc822\n\nFrom: MAILER-DAEMON@y.test\nSubject: failure notice\n\n${QMAIL}`,
      `Content-Type: message/rfc822\n\nContent-Type: multipart/report; report-type=delivery-status; boundary=z\n\n--z\nContent-Type: message/delivery-status\n\n${REPORT_FIELDS}\n--z--`,
    ),
  ),
  other(
    "a person sends a report's fields along",
    mixed(
      "Bob <bob@y.test>",
      "Fwd: failure",
      "\nSee attached.",
      `Content-Type: message/delivery-status\n\n${REPORT_FIELDS}`,
    ),
  ),
  other(
    "a person sends a mail along",
    mixed(
      "Bob <bob@y.test>",
      "Your mail",
      "\nSee attached.",
      `Content-Type: message/rfc822\n\n${original("bob@y.test")}`,
    ),
  ),
  other(
    "a daily report of a mail system's owner",
    fromDaemon({ from: "root@y.test", subject: "Cron: mail queue is empty" }, "ok"),
  ),
  other(
    "a DMARC report",
    fromDaemon({ from: "noreply-dmarc@y.test", subject: "Report domain: x.test", type: "application/zip" }, "UEsDBA=="),
  ),
  other("nothing", ""),
  other("no header", "\n\nHello"),
  other("no body", "From: a@y.test\nSubject: x"),
];
