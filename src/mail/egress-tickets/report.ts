import type { RecipientResult } from "../smtp/transport.ts";

/** The report of an egress about one recipient of an email that it holds (docs/egress.md). */
export type ReportedResult = Told & {
  /** When it came, in ms since 1970. */
  at?: number | undefined;
};

type Told =
  /** The egress has taken the email; the result comes later. */
  | { kind: "held" }
  | (Exclude<RecipientResult, { kind: "accepted" }> & Relay)
  | (Omit<Extract<RecipientResult, { kind: "accepted" }>, "dsnRequested"> & Relay)
  /** No attempt was made: the receiver is slowed down, or paused. */
  | { kind: "paced"; receiver: string; label: string; seconds: number; reason: string }
  /** No attempt was made: the email is to be tried again at once. */
  | { kind: "returned"; reason: string };

/** The enhanced code of a 451 to RCPT by which only this email waits, for its place in the line (RFC 3463 3.5). With another all to its receiver do. */
export const IN_LINE = "4.4.5";

/** Host name of the server that gave a reply, and name of the receiver. */
export interface Relay {
  relay?: string | undefined;
  receiver?: string | undefined;
}

export interface ReportedRecipient {
  address: string;
  result: ReportedResult;
}

/** The report about one email. */
export interface ReportedOutcome {
  ticket: string;
  recipients: readonly ReportedRecipient[];
}
