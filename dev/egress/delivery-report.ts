import { randomUUID } from "node:crypto";

interface Failure {
  /** Return path of the message. */
  to: string;
  recipient: string;
  /** The reply that refused the recipient. */
  response: string;
}

/** Returns a delivery status notification about a recipient that was refused (RFC 3464). */
export function deliveryReport({ to, recipient, response }: Failure): string {
  const [, status = "5.0.0"] = /^\d{3} (\d\.\d+\.\d+)/.exec(response) ?? [];
  const boundary = randomUUID();
  return [
    "From: Mail Delivery System <mailer-daemon@egress.test>",
    `To: <${to}>`,
    "Subject: Undelivered Mail Returned to Sender",
    `Date: ${new Date().toUTCString().replace("GMT", "+0000")}`,
    `Message-ID: <${randomUUID()}@egress.test>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"`,
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=utf-8",
    "",
    `Your message to ${recipient} could not be delivered.`,
    "",
    `--${boundary}`,
    "Content-Type: message/delivery-status",
    "",
    "Reporting-MTA: dns; egress.test",
    "",
    `Final-Recipient: rfc822; ${recipient}`,
    "Action: failed",
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${response.replace(/[\r\n]+/g, " ")}`,
    "",
    `--${boundary}--`,
    "",
  ].join("\r\n");
}
