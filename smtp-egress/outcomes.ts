import type { Phase, Reply } from "../src/mail/smtp/client.ts";

/** Names the server that gave a reply. */
export interface Relay {
  /** Host name. */
  relay: string;
  /** Name of the receiver. */
  receiver: string;
}

/** The result of an email for one recipient, as the Worker is told it, and when it came, in ms since 1970 (docs/egress.md). */
export type Result = Told & { at?: number };

type Told =
  /** Taken; the result comes later. */
  | { kind: "held" }
  | ({ kind: "accepted"; reply: Reply } & Relay)
  | ({ kind: "recipient-refused"; phase: "rcpt"; reply: Reply } & Relay)
  | ({ kind: "message-refused"; phase: "mail" | "data" | "final-dot"; reply: Reply } & Relay)
  | ({ kind: "deferred"; phase: Phase; reply: Reply | null; reason: string } & Partial<Relay>)
  | ({ kind: "ambiguous"; phase: "final-dot"; reply: null; reason: string } & Relay)
  /** No attempt was made: the receiver is slowed down, or paused. */
  | { kind: "paced"; receiver: string; label: string; seconds: number; reason: string }
  /** No attempt was made: try again at once. */
  | { kind: "returned"; reason: string };

export interface RecipientResult {
  address: string;
  result: Result;
}

/** Returns whether a result means that a final dot was sent. */
export function isOfFinalDot(result: Result): boolean {
  return (
    result.kind === "accepted" || result.kind === "ambiguous" || ("phase" in result && result.phase === "final-dot")
  );
}

/** The result of an email when this program failed before its final dot. */
export const FAILED = {
  kind: "deferred",
  phase: "connect",
  reply: null,
  reason: "the egress failed; its log has the error",
} as const satisfies Result;
