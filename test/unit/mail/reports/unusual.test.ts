/** Bounces that look unlike others. */
import { expect, it } from "vitest";
import { parseFeedback } from "../../../../src/mail/reports/parse.ts";
import { toReportOutcome } from "../../../../src/sending/feedback/to-outcome.ts";
import { lines } from "../../../mail/reports/samples.ts";

function read(mail: string, nullSender = false) {
  const found = parseFeedback(new TextEncoder().encode(mail), nullSender);
  if (found.kind !== "dsn" && found.kind !== "bounce") return found.kind;
  return found.recipients.map((one) => [one.recipient, one.action, toReportOutcome(one).suppress ?? null]);
}

it("a report in HTML only, without a subject, is read", () => {
  const mail = lines(
    "From: MAILER-DAEMON@yahoo.test",
    "To: shop@example.org",
    "Content-Type: text/html; charset=us-ascii",
    "",
    "<html><body><p>Sorry, we were unable to deliver your message to the following address.</p>",
    "<p><b>&lt;gone@yahoo.test&gt;:</b><br>554: delivery error: dd This user doesn't have a yahoo.test account (gone@yahoo.test) [0]</p>",
    "</body></html>",
  );
  expect(read(mail, true)).toEqual([["gone@yahoo.test", "failed", "bounce"]]);
  const bare = lines(
    "From: MAILER-DAEMON@yahoo.test",
    "Content-Type: text/html",
    "",
    "<html><body>&lt;gone@yahoo.test&gt;<br>This user doesn't have a yahoo.test account</body></html>",
  );
  expect(read(bare, true)).toEqual([["gone@yahoo.test", "failed", "bounce"]]);
});

it("a bounce of MDaemon, which has a sender, is read", () => {
  const mail = lines(
    "From: MDaemon@receiver.test",
    "To: shop@example.org",
    "Subject: Warning: gone@receiver.test - no such user here",
    "Auto-Submitted: auto-replied",
    "Content-Type: text/plain",
    "",
    "The message you sent to gone@receiver.test was not delivered:",
    "",
    "gone@receiver.test - no such user here.",
    "",
    "There is no user by that name at this server.",
  );
  expect(read(mail)).toEqual([["gone@receiver.test", "failed", "bounce"]]);
});

it("a message that Dovecot's sieve rejects is a soft bounce", () => {
  const mail = lines(
    "From: Mail Delivery Subsystem <postmaster@receiver.test>",
    "To: shop@example.org",
    "Subject: Rejected: Your receipt",
    "Auto-Submitted: auto-replied (rejected)",
    "MIME-Version: 1.0",
    'Content-Type: multipart/report; report-type=disposition-notification; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain; charset=utf-8",
    "",
    "Your message to <ada@receiver.test> was automatically rejected:",
    "I do not want this.",
    "--b",
    "Content-Type: message/disposition-notification",
    "",
    "Reporting-UA: receiver.test; Dovecot Mail Delivery Agent",
    "Final-Recipient: rfc822; ada@receiver.test",
    "Original-Message-ID: <1@example.org>",
    "Disposition: automatic-action/MDN-sent-automatically; deleted/rejected",
    "",
    "--b",
    "Content-Type: message/rfc822",
    "",
    "Message-ID: <1@example.org>",
    "From: shop@example.org",
    "--b--",
  );
  expect(read(mail, true)).toEqual([["ada@receiver.test", "failed", null]]);
  expect(read(mail.replace("deleted/rejected", "displayed"), true)).toBe("auto-reply");
});

it("the footer of a scanner is no diagnostic", () => {
  const mail = lines(
    "From: MAILER-DAEMON@receiver.test",
    "Subject: Undelivered Mail Returned to Sender",
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Your message could not be delivered.",
    "",
    "This email has been scanned for viruses and spam by Example Security.",
    "--b",
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; receiver.test",
    "",
    "Final-Recipient: rfc822; gone@receiver.test",
    "Action: failed",
    "Status: 5.1.1",
    "--b--",
  );
  expect(read(mail, true)).toEqual([["gone@receiver.test", "failed", "bounce"]]);
});

it.each([
  "收件人邮件地址（gone@receiver.test）不存在，邮件无法送达。",
  "收件人邮件地址(gone@receiver.test)不存在,邮件无法送达。",
  "宛先：gone@receiver.test、該当するユーザーがいません。",
])("an address in Chinese or Japanese text ends at its punctuation: %s", (text) => {
  const mail = lines(
    "From: PostMaster@receiver.test",
    "Subject: =?utf-8?B?57O757uf6YCA5L+h?=",
    "Content-Type: text/html; charset=utf-8",
    "",
    `<div>抱歉，您的邮件被退回来了</div><div>${text}</div>`,
  );
  expect(read(mail, true)).toEqual([["gone@receiver.test", "failed", "bounce"]]);
});
