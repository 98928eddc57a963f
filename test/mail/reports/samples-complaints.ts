import { abuse, fromDaemon, ID, lines, original } from "./samples.ts";

const ENCLOSED = ["Content-Type: message/rfc822", "", original("undisclosed-recipients:;"), "", "Buy!"];
const complaint = (over: object) => ({
  kind: "complaint",
  feedbackType: "abuse",
  originalRecipient: null,
  originalMailFrom: "bq@bounces.test",
  originalMessageId: ID,
  originalFeedbackId: null,
  userAgent: null,
  sourceIp: null,
  ...over,
});

/** Abuse reports (RFC 5965) and their expected results. */
export const COMPLAINTS: readonly { name: string; mail: string; reads: object }[] = [
  {
    name: "a full report",
    mail: abuse(
      [
        "Feedback-Type: abuse",
        "User-Agent: SomeGenerator/1.0",
        "Version: 1",
        "Original-Mail-From: <bx@bounces.test>",
        "Original-Rcpt-To: <bob@y.test>",
        "Received-Date: Sat, 21 Nov 2026 10:00:00 +0000",
        "Source-IP: 192.0.2.1",
      ],
      ENCLOSED,
    ),
    reads: complaint({
      originalMailFrom: "bx@bounces.test",
      originalRecipient: "bob@y.test",
      userAgent: "SomeGenerator/1.0",
      sourceIp: "192.0.2.1",
    }),
  },
  {
    name: "Yahoo: the least that is required",
    mail: abuse(["Feedback-Type: abuse", "User-Agent: Yahoo!-Mail-Feedback/2.0", "Version: 0.1"], ENCLOSED),
    reads: complaint({ userAgent: "Yahoo!-Mail-Feedback/2.0" }),
  },
  {
    name: "a redacted recipient, IPv6, the header only",
    mail: abuse(
      ["Feedback-Type: Fraud", "Original-Rcpt-To: redacted", "Original-Rcpt-To: b@y.test", "Source-IP: [2001:DB8::1]"],
      ["Content-Type: text/rfc822-headers", "", original("x@y.test")],
    ),
    reads: complaint({ feedbackType: "fraud", originalRecipient: "b@y.test", sourceIp: "2001:db8::1" }),
  },
  {
    name: "not spam after all",
    mail: abuse(["Feedback-Type: not-spam"], ENCLOSED),
    reads: complaint({ feedbackType: "not-spam" }),
  },
  {
    name: "the older reports of Outlook.com",
    mail: fromDaemon(
      {
        from: "staff@hotmail.com",
        subject: "complaint about message from 192.0.2.1",
        type: "multipart/mixed; boundary=j",
      },
      "--j",
      "Content-Type: message/rfc822",
      "",
      lines("X-HmXmrOriginalRecipient: <bob@hotmail.test>", "X-SID-PRA-IP: 192.0.2.1", original("bob@hotmail.test")),
      "",
      "Hello",
      "--j--",
    ),
    reads: complaint({ originalRecipient: "bob@hotmail.test", sourceIp: "192.0.2.1" }),
  },
];
