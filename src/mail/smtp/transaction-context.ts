import type { SmtpSession } from "./smtp-session.ts";

/** Timeouts of a connection, in milliseconds. */
export interface ConnectionTiming {
  /** For each reply, and for each slice of the message. */
  replyMs: number;
  /** For the reply to the final dot. */
  finalDotMs: number;
  /** All of a transaction before its final dot; undefined: no limit. For one transaction at a time. */
  transactionMs?: number;
  quitMs: number;
}

/** State that the transactions of one session share. */
export interface TransactionContext extends Readonly<Omit<ConnectionTiming, "quitMs">> {
  readonly session: SmtpSession;
  readonly pipelining: boolean;
  /** The server still has an envelope from the transaction before, so RSET must precede the next MAIL. */
  needsReset: boolean;
}
