import type { Ticket } from "../../mail/egress-tickets/ticket.ts";
import type { RecipientResult } from "../../mail/smtp/transport.ts";
import type { EmailState } from "../emails/index.ts";

/** The report of an egress about one recipient of an email that it holds (docs/egress.md). */
export type ReportedResult = { /** When it came, in ms since 1970. */ at?: number | undefined } & (
  | { kind: "held" }
  | (Exclude<RecipientResult, { kind: "accepted" }> & Route)
  | (Omit<Extract<RecipientResult, { kind: "accepted" }>, "dsnRequested"> & Route)
  /** The receiver is to get it later: no attempt was made. */
  | { kind: "paced"; receiver: string; label: string; seconds: number; reason: string }
  /** The egress gives it back: no attempt was made. */
  | { kind: "returned"; reason: string }
);

interface Route {
  /** Host name of the receiver's server, and name of the receiver. */
  relay?: string | undefined;
  receiver?: string | undefined;
}

/** The report about one email. */
export interface ReportedOutcome {
  ticket: string;
  recipients: readonly { address: string; result: ReportedResult }[];
}

/** A report whose ticket was read. */
export interface Report {
  ticket: Ticket;
  outcome: ReportedOutcome;
}

/** A report about an email that exists. */
export interface KnownReport extends Report {
  state: EmailState;
  /** Id of the request that the email was accepted with, for the log; null without one. */
  requestId: string | null;
  workspaceId: string;
  /** The content document, while it is in the row of the email and not in R2. */
  content: string | null;
  /** The lease of its row is held. */
  isLeased: boolean;
}
