import type { Conversation } from "./conversation.ts";

/** What the transactions of one conversation share. */
export interface Session {
  readonly conversation: Conversation;
  readonly pipelining: boolean;
  /** For each reply, and for each slice of the message. */
  readonly replyMs: number;
  /** For the reply to the final dot. */
  readonly finalDotMs: number;
  /** The server still holds an envelope of ours: RSET must come before the next MAIL. */
  needsReset: boolean;
}
