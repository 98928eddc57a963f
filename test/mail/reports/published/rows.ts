// Shapes of the published failure messages. The right value is `hard` only if the words say that the recipient's address
// or domain is gone for good; everything else, and everything that an expert would be unsure of, is `soft`.

export type Right = "hard" | "soft";

/** Command of our own session that the receiver refused (RFC 5321 section 3.1 to 3.3). */
export type Phase = "connect" | "ehlo" | "mail" | "rcpt" | "data";

/** Replies that one source publishes; a reply of several lines keeps the code of each line. */
export interface Refusals {
  source: string;
  rows: readonly (readonly [right: Right, phase: Phase, reply: string])[];
}

/** RFC 3464 reports of one program: the fields of their only recipient. */
export interface DeliveryReports {
  source: string;
  /** Text of the part for people. */
  notice: string;
  rows: readonly (readonly [right: Right, status: string, diagnostic: string])[];
}

/** A whole report mail without machine-readable part. */
export interface TextReport {
  source: string;
  right: Right;
  recipient: string;
  from: string;
  subject: string;
  type: "text/plain" | "text/html";
  body: string;
}

export const RECIPIENT = "anna@receiver.example";
