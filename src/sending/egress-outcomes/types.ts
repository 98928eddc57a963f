import type { ReportedOutcome } from "../../mail/egress-tickets/report.ts";
import type { Ticket } from "../../mail/egress-tickets/ticket.ts";
import type { EmailState } from "../emails/index.ts";

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
