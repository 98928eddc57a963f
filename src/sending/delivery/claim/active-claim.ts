import type { MailCtx } from "../../../platform/context.ts";
import type { ContentRanges } from "../../emails/index.ts";
import type { MailToSend } from "../prepare/index.ts";
import type { OutcomeWriter } from "../record/index.ts";
import type { DkimKeyRow } from "./read-senders.ts";

/** A claim on outbox rows of one mail database, whose emails the dispatchers of a run send. */
export interface ActiveClaim {
  ctx: MailCtx;
  outcomes: OutcomeWriter;
  /** DKIM keys by domain id. */
  keys: ReadonlyMap<string, readonly DkimKeyRow[]>;
  /** Number of emails by id of each claimed row. */
  emailsOf: ReadonlyMap<string, number>;
  /** Emails not yet tried, in order. */
  queue: MailToSend[];
  /** Emails that dispatchers have taken from the queue and not finished. */
  inProgress: number;
  /** An outage of the egress lasted when the rows were claimed. */
  isOutage: boolean;
  /** Reads the content of the emails. */
  contents: ContentRanges;
  /** The first error of a dispatcher while it sent an email of this claim; null when there was none. */
  error: unknown;
}
