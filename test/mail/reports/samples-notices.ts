import { fromDaemon, lines, report } from "./samples.ts";
import { B, type ForeignSample, text } from "./samples-foreign.ts";

const daemonText = (subject: string, ...body: string[]) =>
  text(subject, "Mail System <MAILER-DAEMON@relay.test>", body);

/** Notices that must not suppress, whatever they quote. */
export const NOTICES: readonly ForeignSample[] = [
  {
    name: "Postfix delay with a failure phrase",
    mail: daemonText(
      "Delayed Mail (still being retried)",
      "Your message could not be delivered for more than 4 hour(s).",
      "It will be retried until it is 5 day(s) old.",
      "",
      "<bob@y.test>: host mx.y.test said: 450 4.1.1 User unknown in local recipient table",
    ),
    verdict: "delayed",
  },
  {
    name: "delay that quotes 550",
    mail: daemonText(
      "Delivery status",
      "This is a warning message only. You do not need to resend your message.",
      "<bob@y.test>: 550 5.1.1 user unknown",
    ),
    verdict: "delayed",
  },
  {
    name: "Gmail delay",
    mail: daemonText(
      "Delivery Status Notification (Delay)",
      "There was a temporary problem delivering your message to bob@y.test. Gmail will retry for 46 more hours.",
    ),
    verdict: "delayed",
  },
  {
    name: "delay phrase at the end of the text",
    mail: daemonText(
      "Mail delivery problem",
      "Your message to the following recipient could not be delivered: bob@y.test",
      "Reason: user unknown at the backup server.",
      "The server will keep trying for four days.",
    ),
    verdict: "delayed",
  },
  {
    name: "German delay",
    mail: daemonText(
      "Verzögerung der Zustellung",
      "Ihre Nachricht an bob@y.test konnte noch nicht zugestellt werden. Die Zustellung verzögert sich.",
    ),
    verdict: "delayed",
  },
  {
    name: "French delay",
    mail: daemonText("Remise différée", "La remise de votre message à bob@y.test est retardée."),
    verdict: "delayed",
  },
  {
    name: "Spanish delay",
    mail: daemonText("Entrega retrasada", "La entrega a bob@y.test se ha retrasado. No se pudo entregar todavía."),
    verdict: "delayed",
  },
  {
    name: "Japanese delay",
    mail: daemonText("配信遅延", "bob@y.test への配信が遅延しています。再送を続けます。まだ配信できません。"),
    verdict: "delayed",
  },
  {
    name: "Russian delay",
    mail: daemonText("Задержка", "Доставка письма для bob@y.test задержана. Письмо не может быть доставлено сейчас."),
    verdict: "delayed",
  },
  {
    name: "delay report by RFC 3464",
    mail: report({
      subject: "Delayed Mail",
      text: "Your message could not be delivered yet.",
      blocks: [
        "Reporting-MTA: dns; r.test",
        lines(
          "Final-Recipient: rfc822; bob@y.test",
          "Action: delayed",
          "Status: 4.4.1",
          "Diagnostic-Code: smtp; 550 user unknown",
        ),
      ],
    }),
    verdict: "delayed",
  },
  ...(
    [
      ["reverse DNS", "550 5.7.25 The IP address sending this message does not have a PTR record"],
      ["EHLO", "550 5.1.1 Helo command rejected: unknown user (in reply to EHLO command)"],
      ["MAIL FROM", "550 5.1.1 user unknown (in reply to MAIL FROM command)"],
      ["end of DATA", "550 Unknown user bob@y.test (in reply to end of DATA command)"],
      ["quota under 5.1.1", "552 5.1.1 <bob@y.test>: User over quota"],
      ["5.2.2 under 5.1.1", "550 5.1.1 wrapped: 552 5.2.2 rejected"],
      ["rate", "550 5.2.1 The user you are trying to contact is receiving mail too quickly"],
      ["reputation", "550 5.1.1 Mail rejected due to the poor reputation of the sending IP"],
      ["block list", "550 5.1.1 <bob@y.test>: 192.0.2.1 is listed at zen.spamhaus.org"],
      ["policy", "550 5.1.1 Recipient address rejected: Rejected by local policy"],
      ["relaying", "550 5.1.1 Relaying denied. Unknown user"],
      ["sender", "550 5.1.1 Sender address rejected: User unknown"],
      ["bare 550", "550 Rejected"],
      ["bare 5.1.0", "550 5.1.0"],
      ["greylisting", "451 4.1.1 user unknown, greylisted"],
      ["members only", "550 5.1.1 Posting to this list is members-only"],
    ] as const
  ).map(([name, reply]) => ({
    name: `Postfix report: ${name}`,
    mail: report({
      blocks: [
        "Reporting-MTA: dns; r.test",
        lines(
          "Final-Recipient: rfc822; bob@y.test",
          "Action: failed",
          "Status: 5.1.1",
          `Diagnostic-Code: smtp; ${reply}`,
        ),
      ],
    }),
    verdict: "soft" as const,
  })),
  {
    name: "two recipients: the line of the other one says unknown",
    mail: text("failure notice", "MAILER-DAEMON@relay.test", [
      "Hi. This is the qmail-send program at relay.test.",
      "",
      "<bob@y.test>:",
      "Remote host said: 552 mailbox is over quota",
      "",
      "<carol@y.test>:",
      "Sorry, no mailbox here by that name. (#5.1.1)",
    ]),
    verdict: "soft",
    recipient: B,
  },
  {
    name: "vacation with a null sender that quotes a bounce",
    mail: text(
      "Re: Your receipt",
      "Bob <bob@y.test>",
      [
        "I am out of the office until Monday.",
        "",
        "Your message could not be delivered.",
        "<bob@y.test>: 550 5.1.1 user unknown",
      ],
      ["Auto-Submitted: auto-replied", "Return-Path: <>"],
    ),
    verdict: "auto-reply",
  },
  {
    name: "vacation without a field, by its text",
    mail: text("Your receipt", "Bob <bob@y.test>", [
      "I am currently out of the office. Mail to carol@y.test could not be delivered last week: 550 5.1.1 user unknown.",
    ]),
    verdict: "other",
  },
  {
    name: "automatic reply that encloses a report",
    mail: fromDaemon(
      {
        from: "Bob <bob@y.test>",
        subject: "Out of Office",
        type: "multipart/mixed; boundary=m",
        more: ["X-Autoreply: yes"],
      },
      "--m",
      "",
      "Away.",
      "--m",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; y.test\n\nFinal-Recipient: rfc822; bob@y.test\nAction: failed\nStatus: 5.1.1",
      "--m--",
    ),
    verdict: "auto-reply",
  },
  {
    name: "challenge that asks for a confirmation",
    mail: text("Your message needs confirmation", "Bob's filter <postmaster@y.test>", [
      "Your message to bob@y.test has not been delivered. Please confirm that you sent it: click the link to deliver it.",
      "550 5.1.1",
    ]),
    verdict: "other",
  },
  {
    name: "ticket system, null sender",
    mail: text("[Ticket#123] We have received your request", "Support <support@y.test>", [
      "Thank you. We could not find your customer number. Reply to support@y.test.",
    ]),
    verdict: "other",
  },
];
