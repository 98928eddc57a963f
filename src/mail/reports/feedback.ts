/** The results of parsing returned mail. */

import type { SmtpPhase } from "./phase.ts";

/** The Action field of a recipient (RFC 3464 2.3.3). */
export type Action = "failed" | "delayed" | "delivered" | "relayed" | "expanded";

export interface ReportedRecipient {
  /** Original-Recipient, else Final-Recipient (RFC 3464 2.3.1, 2.3.2). */
  recipient: string | null;
  /** Final-Recipient: differs after forwarding. Null in a bounce in plain text. */
  finalRecipient: string | null;
  action: Action;
  /** Enhanced status code (RFC 3463). */
  status: string | null;
  /** Reply of the remote server, on one line. */
  diagnostic: string | null;
  /** Host that gave the reply. */
  remoteMta: string | null;
  /** The command that the host refused; null when the report does not name it. */
  phase: SmtpPhase | null;
}

/** A report in the format of RFC 3464, or of RFC 6533 for internationalized mail. */
export interface DeliveryReport {
  kind: "dsn";
  recipients: ReportedRecipient[];
  /** Original-Envelope-Id: the ENVID of MAIL FROM (RFC 3461 4.4). */
  originalEnvelopeId: string | null;
  /** Message-ID of the returned mail, with its angle brackets. */
  originalMessageId: string | null;
}

/** A failed or delayed delivery that is reported in plain text only. */
interface Bounce {
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
  /** Original-Mail-From, else the Return-Path of the reported mail. */
  originalMailFrom: string | null;
  originalMessageId: string | null;
  /** CFBL-Feedback-ID of the reported mail (RFC 9477 3.5), as it is written. */
  originalFeedbackId: string | null;
  userAgent: string | null;
  sourceIp: string | null;
}

export type Feedback = DeliveryReport | Bounce | Complaint | { kind: "auto-reply" } | { kind: "other" };
