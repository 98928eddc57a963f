import { fromDaemon, lines, original, report } from "./samples.ts";

type Verdict = "suppress" | "domain" | "soft" | "delayed" | "auto-reply" | "other";

export interface ForeignSample {
  name: string;
  mail: string;
  /** MAIL FROM was empty; true when not given. */
  nullSender?: boolean;
  verdict: Verdict;
  /** Address that the report names; null when the return path has to tell. Not checked when undefined. */
  recipient?: string | null;
}

export const B = "bob@y.test";
const copy = original(B);

/** Builds a bounce in plain text. */
export const text = (subject: string, from: string, body: string[], more: string[] = []) =>
  fromDaemon({ subject, from, more }, ...body);

const enclosing = (subject: string, from: string, ...body: string[]) =>
  fromDaemon(
    { subject, from, type: 'multipart/mixed; boundary="m"' },
    "--m",
    "Content-Type: text/plain; charset=utf-8",
    "",
    ...body,
    "",
    "--m",
    "Content-Type: message/rfc822",
    "",
    copy,
    "",
    "Hello",
    "--m--",
  );

/** Failures by systems that are in no list: recognized by several weak signs together. */
export const UNLISTED: readonly ForeignSample[] = [
  {
    name: "unknown wording, null sender, a listed address with a reply",
    mail: text("Nondeliverable mail", "Mail Service <mail@relay.test>", [
      "------Transcript of session follows -------",
      "bob@y.test",
      "The user's email name is not found.",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "address and reason in brackets",
    mail: text("Returned Mail: error", '"Mail Deliver System" <daemon@relay.test>', [
      "The original message was received at Thu, 29 Apr 2010 23:34:45 +0900",
      "",
      "---The following addresses had delivery errors---",
      "",
      "bob@y.test [User unknown]",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "address at the start of the line, then the reason (Zoho)",
    mail: text("Undelivered Mail Returned to Sender", "mailer-daemon@mail.zoho.test", [
      "This message was created automatically by mail delivery software.",
      "A message that you sent could not be delivered to one or more of its recipients. This is a permanent error.",
      "",
      "bob@y.test Invalid Address, ERROR_CODE :550, ERROR_CODE :5.1.1 <bob@y.test>... User Unknown",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "KDDI: nobody's From, indented reason",
    mail: text("Mail System Error", "no-reply@app.carrier.test", [
      "Your mail sent on: Thu, 29 Apr 2010 11:04:47 +0900",
      "     Could not be delivered to: <bob@y.test>",
      "     As the remote domain doesnt exist.",
    ]),
    verdict: "domain",
    recipient: B,
  },
  {
    name: "MailFoundry",
    mail: text("Message delivery has failed", "MAILER-DAEMON@relay.test", [
      "Unable to deliver message to: <bob@y.test>",
      "Delivery failed for the following reason:",
      "Server mx22.y.test[192.0.2.222] failed with: 550 <bob@y.test> No such user here",
      "",
      "This has been a permanent failure.  No further delivery attempts will be made.",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "MailMarshal: the reason above the address",
    mail: text('Undeliverable Mail: "Your receipt"', "postmaster@relay.test", [
      "Your message:",
      "   From:    ann@x.test",
      "   Subject: Your receipt",
      "",
      "Could not be delivered because of",
      "",
      "550 5.1.1 User unknown",
      "",
      "The following recipients were affected:",
      "   bob@y.test",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "Active!hunter",
    mail: text("FAILURE NOTICE :", '"MAILER-DAEMON" <MAILER-DAEMON@relay.test>', [
      "  ----- The following addresses had permanent fatal errors -----",
      "",
      ">>> bob@y.test <bob@y.test>",
      "",
      "  ----- Transcript of session follows -----",
      "550 sorry, no mailbox here by that name (#5.1.1 - chkusr)",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "InterScan, Japanese",
    mail: text("=?utf-8?B?44Oh44O844Or6YWN5L+h44Gr5aSx5pWX44GX44G+44GX44Gf?=", '"InterScan MSS" <root@relay.test>', [
      "メール配信に失敗しました",
      "",
      "Sent <<< RCPT TO:<bob@y.test>",
      "Received >>> 550 5.1.1 <bob@y.test>... user unknown",
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "ISO-2022-JP in the words, with the charset",
    mail: fromDaemon(
      { subject: "Undeliverable message", from: "postmaster@notes.test", type: "text/plain; charset=ISO-2022-JP" },
      "------- Failure Reasons  --------",
      "",
      '\u001b$B%G%#%l%/%H%j$N%j%9%H$K$"$j$^$;$s\u001b(B',
      "bob@y.test",
      "",
      "------- Returned Message --------",
      copy,
    ),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "ISO-2022-JP without a charset",
    mail: text("failure notice", "postmaster@relay.test", [
      "<bob@y.test>:",
      '\u001b$B08@h$N%a!<%k%"%I%l%9$,8+$D$+$j$^$;$s\u001b(B',
    ]),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "Verizon: From without a domain name for daemons",
    mail: text("Undeliverable Message", "post_master@carrier.test", [
      "Error: The message was not delivered.",
      "550 - Requested action not taken: no such user here",
      "",
      "Message details:",
      "  MAIL FROM: bq@bounces.test",
      "  RCPT TO: bob@y.test",
    ]),
    nullSender: false,
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a program that encloses the returned mail, no null sender",
    mail: enclosing(
      "Mail could not be delivered",
      "System <noreply@relay.test>",
      "The following message could not be delivered.",
      "",
      "bob@y.test: 550 5.1.1 unknown user",
    ),
    nullSender: false,
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "French words only",
    mail: enclosing(
      "Non remis : Votre reçu",
      "Administrateur <postmaster@relay.test>",
      "Votre message n'a pas pu être remis à : bob@y.test",
      "Utilisateur inconnu",
    ),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "Chinese words only",
    mail: enclosing("系统退信", "postmaster@relay.test", "抱歉，您的邮件被退回来了", "bob@y.test", "收件人不存在"),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a report whose boundary never appears",
    mail: fromDaemon(
      { type: 'multipart/report; report-type=delivery-status; boundary="never"' },
      "--other",
      "Content-Type: text/plain",
      "",
      "<bob@y.test>: host mx.y.test[192.0.2.1] said: 550 5.1.1 <bob@y.test>: User unknown (in reply to RCPT TO command)",
      "--other--",
    ),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a report without a boundary parameter, its fields as text",
    mail: fromDaemon(
      { type: "multipart/report; report-type=delivery-status" },
      "Reporting-MTA: dns; mx.y.test",
      "",
      "Final-Recipient: rfc822; bob@y.test",
      "Action: failed",
      "Status: 5.1.1",
    ),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a report without Diagnostic-Code: the text has the reply",
    mail: report({
      text: lines(
        "The following message could not be delivered:",
        "",
        "The remote server answered: 550 No such user here",
      ),
      blocks: [
        "Reporting-MTA: dns; r.test",
        lines("Final-Recipient: rfc822; bob@y.test", "Action: failed", "Status: 5.0.0"),
      ],
    }),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a report without Status and Diagnostic-Code, Japanese text in ISO-2022-JP",
    mail: report({
      text: '\u001b$B08@h$N%a!<%k%"%I%l%9$,8+$D$+$j$^$;$s\u001b(B',
      blocks: ["Reporting-MTA: dns; r.test", lines("Final-Recipient: rfc822; bob@y.test", "Action: failed")],
    }),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "a report that names no recipient: the return path tells",
    mail: report({
      text: "Your message could not be delivered. 550 5.1.1 User unknown",
      blocks: ["Reporting-MTA: dns; r.test"],
      enclosed: ["Content-Type: text/plain", "", "removed"],
    }),
    verdict: "suppress",
    recipient: null,
  },
  {
    name: "a bounce in text that names no recipient",
    mail: text("Undeliverable mail", "postmaster@relay.test", [
      "Your message could not be delivered.",
      "550 5.1.1 No such user",
    ]),
    verdict: "suppress",
    recipient: null,
  },
  {
    name: "only the sender and a help desk are named",
    mail: text("Undeliverable mail", "postmaster@relay.test", [
      "Your message from <bq@bounces.test> could not be delivered.",
      "550 5.1.1 No such user",
      "",
      "For help contact <helpdesk@relay.test>",
    ]),
    verdict: "suppress",
    recipient: null,
  },
  {
    name: "the sender and a help desk stand before the recipient",
    mail: enclosing(
      "Delivery failure",
      "postmaster@relay.test",
      "Message from ann@x.test could not be delivered.",
      "For help contact:",
      "helpdesk@relay.test",
      "",
      "bob@y.test",
      "550 5.1.1 no such user",
    ),
    verdict: "suppress",
    recipient: B,
  },
  {
    name: "DragonFly Mail Agent",
    mail: text("Mail delivery failed", "MAILER-DAEMON <>", [
      "This is the DragonFly Mail Agent v0.13 at relay.test.",
      "",
      "There was an error delivering your mail to <bob@y.test>.",
      "",
      "mx.y.test [192.0.2.1] did not like our RCPT TO:",
      "550 5.1.1 no such user",
      "",
      "Message headers follow.",
      "",
      copy,
    ]),
    verdict: "suppress",
    recipient: B,
  },
];
