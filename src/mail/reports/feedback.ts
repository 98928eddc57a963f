/** What mail that came back may say. */

/** What was done about a recipient (RFC 3464 2.3.3). */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

export interface ReportedRecipient {
  /** The address that was mailed: Original-Recipient, else Final-Recipient (RFC 3464 2.3.1, 2.3.2). */
  recipient: string | null;
  /** The address it had become when the report was made, by forwarding say; null when a text does not tell. */
  finalRecipient: string | null;
  action: Action;
  /** Enhanced status code (RFC 3463). */
  status: string | null;
  /** What the remote system said, on one line. */
  diagnostic: string | null;
  /** Host that said so. */
  remoteMta: string | null;
}

/** A report by RFC 3464, or by RFC 6533 for internationalised mail. */
export interface DeliveryReport {
  kind: "dsn";
  recipients: ReportedRecipient[];
  /** Original-Envelope-Id: the ENVID of MAIL FROM (RFC 3461 4.4). */
  originalEnvelopeId: string | null;
  /** Message-ID of the mail it is about, with its angle brackets. */
  originalMessageId: string | null;
}

/** A mail that tells of a failed or delayed delivery in words only. */
export interface Bounce {
  kind: "bounce";
  recipients: ReportedRecipient[];
  originalMessageId: string | null;
}

/** An abuse report (RFC 5965). */
export interface Complaint {
  kind: "complaint";
  /** `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `auth-failure` …, in lower case. */
  feedbackType: string;
  originalRecipient: string | null;
  /** Original-Mail-From, else the Return-Path of the mail reported: the address that names it. */
  originalMailFrom: string | null;
  originalMessageId: string | null;
  userAgent: string | null;
  sourceIp: string | null;
}

export type Feedback = DeliveryReport | Bounce | Complaint | { kind: "auto-reply" } | { kind: "other" };
