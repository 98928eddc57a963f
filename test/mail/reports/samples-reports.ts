import { fromDaemon, ID, lines, original, report, type Sample } from "./samples.ts";

const MTA = "Reporting-MTA: dns; mx.y.test";
const encoded = (text: string) => btoa(text).replace(/.{60}/g, "$&\n");

/** Reports in the format of RFC 3464 and RFC 6533, as different systems write them. */
export const REPORTS: readonly Sample[] = [
  {
    name: "Postfix, user unknown",
    kind: "dsn",
    mail: report({
      blocks: [
        lines(
          MTA,
          "X-Postfix-Queue-ID: 4F2A",
          "X-Postfix-Sender: rfc822; bq@bounces.test",
          "Arrival-Date: Sat, 21 Nov 2026",
        ),
        lines(
          "Final-Recipient: rfc822; bob@y.test",
          "Original-Recipient: rfc822;bob@y.test",
          "Action: failed",
          "Status: 5.1.1",
          "Remote-MTA: dns; mail.y.test",
          "Diagnostic-Code: smtp; 550 5.1.1 <bob@y.test>: Recipient address rejected:",
          "    User unknown in local recipient table",
        ),
      ],
    }),
    rows: [
      [
        "bob@y.test",
        "failed",
        "5.1.1",
        true,
        "550 5.1.1 <bob@y.test>: Recipient address rejected: User",
        "mail.y.test",
      ],
    ],
    messageId: ID,
  },
  {
    name: "Postfix, three recipients, one of them delayed, with an envelope id and the header only",
    kind: "dsn",
    mail: report({
      blocks: [
        lines(MTA, "Original-Envelope-Id: env-1"),
        lines(
          "Final-Recipient: rfc822; a@y.test",
          "Action: failed",
          "Status: 5.2.2",
          "Diagnostic-Code: smtp; 552 5.2.2 over quota",
        ),
        lines(
          "Final-Recipient: rfc822; b@y.test",
          "Action: delayed",
          "Status: 4.4.1",
          "Will-Retry-Until: Sun, 22 Nov 2026",
        ),
        lines(
          "Final-Recipient: rfc822; c@y.test",
          "Action: failed",
          "Status: 5.1.10",
          "Remote-MTA: dns; c.y.test (192.0.2.9)",
        ),
      ],
      enclosed: ["Content-Type: text/rfc822-headers", "", original("a@y.test")],
    }),
    rows: [
      ["a@y.test", "failed", "5.2.2", false, "552 5.2.2 over quota", null],
      ["b@y.test", "delayed", "4.4.1", false, null, null],
      ["c@y.test", "failed", "5.1.10", true, null, "c.y.test"],
    ],
    messageId: ID,
  },
  {
    name: "Exim: status 5.0.0, the words tell",
    kind: "dsn",
    mail: report({
      subject: "Mail delivery failed: returning message to sender",
      more: ["X-Failed-Recipients: bob@y.test", "Auto-Submitted: auto-replied"],
      boundary: "1700000000-eximdsn-42",
      statusHeader: ["Content-type: message/delivery-status"],
      blocks: [
        lines(MTA),
        lines(
          "Action: failed",
          "Final-Recipient: rfc822;bob@y.test",
          "Status: 5.0.0",
          "Remote-MTA: dns; mail.y.test",
          "Diagnostic-Code: smtp; 550 No such user here",
        ),
      ],
    }),
    rows: [["bob@y.test", "failed", "5.0.0", true, "550 No such user here", "mail.y.test"]],
    messageId: ID,
  },
  {
    name: "sendmail, with its transcript",
    kind: "dsn",
    mail: report({
      from: "Mail Delivery Subsystem <MAILER-DAEMON@mx.y.test>",
      subject: "Returned mail: see transcript for details",
      text: lines("   ----- The following addresses had permanent fatal errors -----", "<bob@y.test>"),
      blocks: [
        lines(MTA, "Received-From-MTA: DNS; out.x.test"),
        lines(
          "Final-Recipient: RFC822; bob@y.test",
          "Action: failed",
          "Status: 5.1.2",
          "Remote-MTA: DNS; y.test",
          "Diagnostic-Code: SMTP; 550 Host unknown",
          "Last-Attempt-Date: Sat, 21 Nov 2026 10:00:04 GMT",
        ),
      ],
    }),
    rows: [["bob@y.test", "failed", "5.1.2", "domain", "550 Host unknown", "y.test"]],
    messageId: ID,
  },
  {
    name: "Gmail, a reply of many lines, threaded by In-Reply-To only",
    kind: "dsn",
    mail: report({
      from: "Mail Delivery Subsystem <mailer-daemon@googlemail.com>",
      subject: "Delivery Status Notification (Failure)",
      more: [`In-Reply-To: ${ID}`, `References: ${ID}`, "X-Failed-Recipients: bob@gmail.test"],
      text: "** Address not found **\n\nYour message wasn't delivered to bob@gmail.test because the address couldn't be found.",
      blocks: [
        "Reporting-MTA: dns; googlemail.com\nX-Original-Message-ID: <other@x.test>",
        lines(
          "Final-Recipient: rfc822; bob@gmail.test",
          "Action: failed",
          "Status: 5.1.1",
          "Remote-MTA: dns; gmail-smtp-in.l.google.test. (192.0.2.26, the server for the domain gmail.test.)",
          "Diagnostic-Code: smtp; 550-5.1.1 The email account that you tried to reach does not exist. Please try",
          " 550-5.1.1 double-checking the recipient's email address for typos or",
          " 550 5.1.1 unnecessary spaces. x1si1 - gsmtp",
        ),
      ],
      enclosed: ["Content-Type: text/plain", "", "----- no original -----"],
    }),
    rows: [["bob@gmail.test", "failed", "5.1.1", true, "550-5.1.1 The email account", "gmail-smtp-in.l.google.test"]],
    messageId: ID,
  },
  {
    name: "Office 365, base64 report in a mixed mail with a disclaimer",
    kind: "dsn",
    mail: fromDaemon(
      {
        from: "<postmaster@y.onmicrosoft.test>",
        subject: "Undeliverable: Your receipt",
        type: 'multipart/mixed; boundary="out"',
        more: ["X-MS-Exchange-Message-Is-Ndr:"],
      },
      "--out",
      'Content-Type: multipart/report; boundary="in"; report-type="Delivery-Status"',
      "",
      "--in",
      "Content-Type: multipart/alternative; boundary=alt",
      "",
      "--alt",
      "Content-Type: text/plain",
      "",
      "Your message to bob@y.test couldn't be delivered.",
      "--alt",
      "Content-Type: text/html",
      "",
      "<p>Your message to bob@y.test couldn't be delivered.</p>",
      "--alt--",
      "--in",
      "Content-Type: message/delivery-status",
      "Content-Transfer-Encoding: base64",
      "",
      encoded(
        "Reporting-MTA: dns;AM0.prod.outlook.test\r\n\r\nFinal-Recipient: rfc822;bob@y.test\r\nAction: failed\r\nStatus: 5.1.10\r\n" +
          "Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient bob@y.test not found by SMTP address lookup\r\n",
      ),
      "--in",
      "Content-Type: message/rfc822",
      "",
      original("bob@y.test"),
      "--in--",
      "--out",
      "Content-Type: text/plain",
      "",
      "This mail is confidential.",
      "--out--",
    ),
    rows: [["bob@y.test", "failed", "5.1.10", true, "550 5.1.10 RESOLVER.ADR.RecipientNotFound", null]],
    messageId: ID,
  },
  {
    name: "given up after days: a failure with a transient code",
    kind: "dsn",
    mail: report({
      blocks: [
        MTA,
        lines(
          "Final-Recipient: rfc822; bob@y.test",
          "Action: failed",
          "Status: 4.4.7",
          "Diagnostic-Code: smtp; delivery expired (message too old)",
        ),
      ],
    }),
    rows: [["bob@y.test", "failed", "4.4.7", false, "delivery expired", null]],
    messageId: ID,
  },
  {
    name: "delivered, relayed and expanded",
    kind: "dsn",
    mail: report({
      subject: "Successful Mail Delivery Report",
      blocks: [
        MTA,
        lines(
          "Original-Recipient: rfc822;a@y.test",
          "Final-Recipient: rfc822; a2@z.test",
          "Action: delivered (to mailbox)",
          "Status: 2.1.5",
        ),
        lines("Final-Recipient: rfc822; b@y.test", "Action: relayed", "Status: 2.0.0"),
        lines("Final-Recipient: rfc822; c@y.test", "Action: expanded", "Status: 2.1.5"),
      ],
    }),
    rows: [
      ["a@y.test", "delivered", "2.1.5", false, null, null],
      ["b@y.test", "relayed", "2.0.0", false, null, null],
      ["c@y.test", "expanded", "2.1.5", false, null, null],
    ],
    messageId: ID,
  },
  {
    name: "RFC 6533: internationalised, UTF-8 and escaped addresses",
    kind: "dsn",
    mail: report({
      statusHeader: ["Content-Type: message/global-delivery-status", "Content-Transfer-Encoding: 8bit"],
      blocks: [
        MTA,
        lines(
          "Final-Recipient: utf-8; пётр@почта.test",
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: smtp; 550 5.1.1 Пользователь не найден",
        ),
        lines("Final-Recipient: UTF-8; caf\\x{E9}@y.test", "Action: failed", "Status: 5.6.7"),
      ],
      enclosed: ["Content-Type: message/global-headers", "", original("пётр@почта.test")],
    }),
    rows: [
      ["пётр@почта.test", "failed", "5.1.1", true, "Пользователь не найден", null],
      ["café@y.test", "failed", "5.6.7", false, null, null],
    ],
    messageId: ID,
  },
  {
    name: "no empty line between the two recipients, nor before the first",
    kind: "dsn",
    mail: report({
      blocks: [
        lines(
          MTA,
          "Final-Recipient: rfc822;<a@y.test>",
          "Action: failed",
          "Status: 5.1.1 (bad mailbox)",
          "Final-Recipient: b@y.test",
          "Action: failure",
          "Status: 5.2.1",
        ),
      ],
    }),
    rows: [
      ["a@y.test", "failed", "5.1.1", true, "bad mailbox", null],
      ["b@y.test", "failed", "5.2.1", true, null, null],
    ],
    messageId: ID,
  },
  {
    name: "an empty line within a recipient; addresses of other kinds",
    kind: "dsn",
    mail: report({
      blocks: [
        MTA,
        lines("Final-Recipient: rfc822; a@y.test", "Action: failed"),
        lines("Status: 5.1.1", "Diagnostic-Code: X-Notes; User not listed in Domino Directory"),
        lines("Final-Recipient: x400; /G=Bob/C=DE/", "Status: 5.1.1"),
        lines("Final-Recipient: LOCAL; bob", "Status: 4.2.0"),
      ],
    }),
    rows: [
      ["a@y.test", "failed", "5.1.1", true, "User not listed in Domino Directory", null],
      [null, "failed", "5.1.1", true, null, null],
      [null, "delayed", "4.2.0", false, null, null],
    ],
    messageId: ID,
  },
  {
    name: "a report of a mail system outside of a multipart/report",
    kind: "dsn",
    mail: fromDaemon(
      { from: "postmaster@y.test", subject: "Undeliverable", type: "multipart/mixed; boundary=m" },
      "--m",
      "",
      "It failed.",
      "--m",
      "Content-Type: message/delivery-status",
      "",
      "Reporting-MTA: dns; y.test\n\nFinal-Recipient: rfc822; bob@y.test\nAction: failed\nStatus: 5.1.1",
      "--m--",
    ),
    rows: [["bob@y.test", "failed", "5.1.1", true, null, null]],
    messageId: null,
  },
  {
    name: "Amazon SES: quoted-printable report",
    kind: "dsn",
    mail: report({
      from: "MAILER-DAEMON@eu-west-1.amazonses.test",
      subject: "Delivery Status Notification (Failure)",
      statusHeader: ["Content-Type: message/delivery-status", "Content-Transfer-Encoding: quoted-printable"],
      blocks: [
        "Reporting-MTA: dns; a4-2.smtp-out.amazonses.test",
        lines(
          "Final-Recipient: rfc822; bob=40y.test",
          "Action: failed",
          "Status: 5.1.1",
          "Diagnostic-Code: smtp; 550 5.1.1 user=\n unknown",
        ),
      ],
    }),
    rows: [["bob@y.test", "failed", "5.1.1", true, "550 5.1.1 user unknown", null]],
    messageId: ID,
  },
  {
    name: "Exim, refused by itself: the text alone says why",
    kind: "dsn",
    mail: report({
      text: lines(
        "The following address(es) failed:",
        "",
        "  bob@y.test",
        "    Unrouteable address",
        "",
        "  c@y.test",
        "    mailbox is full",
      ),
      blocks: [
        MTA,
        lines("Action: failed", "Final-Recipient: rfc822;bob@y.test", "Status: 5.0.0"),
        lines("Action: failed", "Final-Recipient: rfc822;c@y.test", "Status: 5.0.0"),
      ],
    }),
    rows: [
      ["bob@y.test", "failed", "5.0.0", true, "Unrouteable address", null],
      ["c@y.test", "failed", "5.0.0", false, "mailbox is full", null],
    ],
    messageId: ID,
  },
  {
    name: "Sun, the reason a comment; header lines that lost their indent",
    kind: "dsn",
    mail: report({
      type: 'multipart/report; report-type=delivery-status;\nboundary="=_b1"',
      blocks: [
        MTA,
        lines("Original-Recipient: rfc822;bob@y.test", "Action: failed", "Status: 5.0.0 (unknown or illegal alias)"),
      ],
    }),
    rows: [["bob@y.test", "failed", "5.0.0", true, "unknown or illegal alias", null]],
    messageId: ID,
  },
  {
    name: "a report that names nobody: its text does",
    kind: "bounce",
    mail: report({
      text: "<bob@y.test>: host mail.y.test[192.0.2.7] said: 550 5.1.1 unknown user (in reply to RCPT TO command)",
      blocks: [MTA],
    }),
    rows: [["bob@y.test", "failed", "5.1.1", true, "550 5.1.1 unknown user", "mail.y.test"]],
    messageId: ID,
  },
];
