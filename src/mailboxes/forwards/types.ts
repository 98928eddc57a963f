import type { CheckedAuthentication } from "../../mail/authentication-results/stored-results.ts";

/** Sends an inbound email on, or replies to it. It is the content of an outbox row of the kind `forward`. */
export interface Forward {
  action: "address" | "mailbox" | "webhook" | "reply";
  workspace: number;
  /** Id of the inbound email, and the number of this forward among those of the email. */
  inbound: string;
  index: number;
  /** Id of the rule; null for a filter and an automatic reply. */
  rule: string | null;
  /** Id of the filter of the mailbox. Absent: none. */
  filter?: string;
  /** The mailbox that received the email, and its address. */
  mailbox: string;
  address: string;
  /** Key of the R2 object of the email. */
  object: string;
  /** An address, the id of a mailbox, or a URL. */
  target: string;
  /** Envelope sender of the email. */
  from: string;
  authentication: CheckedAuthentication | null;
  /** Attempts that failed. */
  attempts: number;
  /** In ms since 1970. */
  receivedAt: number;
}

/** An outbox row of the kind `forward`. */
export interface ForwardRow {
  id: string;
  forward: Forward;
}

/** The result of an attempt. `event` is its name in the inbound log. */
export type ForwardResult =
  | { kind: "done"; event: string; metadata: Record<string, unknown> }
  /** `isAttempt` is false when nothing could be tried, for instance without an egress. */
  | { kind: "later"; reason: string; isAttempt: boolean };

export const failed = (reason: string): ForwardResult => ({
  kind: "done",
  event: "forward_failed",
  metadata: { reason },
});
