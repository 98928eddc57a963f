/** Builders of sample messages, with LF line ends, and the type of their expected result. */

import type { Action } from "../../../src/mail/reports/feedback.ts";

export const ID = "<01989a3e-5c1f@x.test>";

/** Recipient, action, status, whether the address is suppressed (`domain`: at the second report), part of the diagnostic, host. */
type Row = [
  recipient: string | null,
  action: Action,
  status: string | null,
  hard: boolean | "domain",
  says?: string | null,
  host?: string | null,
];

export interface Sample {
  name: string;
  mail: string;
  kind: "dsn" | "bounce" | "complaint" | "auto-reply" | "other";
  rows?: Row[];
  messageId?: string | null;
}

export const lines = (...all: string[]) => all.join("\n");

/** Returns the header of the returned mail. */
export const original = (to: string) =>
  lines(
    "Return-Path: <bq@bounces.test>",
    "Received: from out.x.test (out.x.test [192.0.2.1])",
    "\tby mx.y.test; Sat, 21 Nov 2026 10:00:00 +0000",
    "From: Ann <ann@x.test>",
    `To: ${to}`,
    "Subject: Your receipt",
    `Message-ID: ${ID}`,
    "MIME-Version: 1.0",
  );

export interface Header {
  from?: string;
  subject?: string;
  type?: string;
  more?: string[];
}

/** Builds a mail from a mail system. */
export function fromDaemon({ from, subject, type, more = [] }: Header, ...body: string[]): string {
  return lines(
    "Received: from mx.y.test by mx.mail.test; Sat, 21 Nov 2026 10:00:05 +0000",
    `From: ${from ?? "Mail Delivery System <MAILER-DAEMON@mx.y.test>"}`,
    "To: bq@bounces.test",
    `Subject: ${subject ?? "Undelivered Mail Returned to Sender"}`,
    "Date: Sat, 21 Nov 2026 10:00:05 +0000",
    ...(type === undefined ? [] : ["MIME-Version: 1.0", `Content-Type: ${type}`]),
    ...more,
    "",
    ...body,
    "",
  );
}

export interface Report extends Header {
  text?: string;
  /** Per-message fields, then one block for each recipient. */
  blocks: string[];
  statusHeader?: string[];
  enclosed?: string[];
  boundary?: string;
}

/** Builds a multipart/report (RFC 3464). */
export function report({ text, blocks, statusHeader, enclosed, boundary = "=_b1", ...header }: Report): string {
  return fromDaemon(
    { type: `multipart/report; report-type=delivery-status;\n boundary="${boundary}"`, ...header },
    "This is a MIME-encapsulated message.",
    "",
    `--${boundary}`,
    "Content-Type: text/plain; charset=us-ascii",
    "",
    text ?? "This is the mail system. Your message could not be delivered.",
    "",
    `--${boundary}`,
    ...(statusHeader ?? ["Content-Type: message/delivery-status"]),
    "",
    blocks.join("\n\n"),
    "",
    `--${boundary}`,
    ...(enclosed ?? ["Content-Type: message/rfc822", "", original("bob@y.test"), "", "Hello"]),
    "",
    `--${boundary}--`,
  );
}

/** Builds an abuse report (RFC 5965). */
export function abuse(fields: string[], enclosed: string[], header: Header = {}): string {
  return fromDaemon(
    {
      from: "Feedback <feedback@y.test>",
      subject: "FW: Your receipt",
      type: 'multipart/report; report-type=feedback-report; boundary="arf"',
      ...header,
    },
    "--arf",
    "Content-Type: text/plain",
    "",
    "This is an abuse report for a message.",
    "",
    "--arf",
    "Content-Type: message/feedback-report",
    "",
    ...fields,
    "",
    "--arf",
    ...enclosed,
    "",
    "--arf--",
  );
}
