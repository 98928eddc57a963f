import { america } from "./america.ts";
import { asia } from "./asia.ts";
import { europe } from "./europe.ts";
import { filters } from "./filters.ts";
import { mailboxes } from "./mailboxes.ts";
import { type PaceLimits, pauseReceiver, type Receiver, type ReplyRule, refusal, rule, slow } from "./types.ts";

/** Limits of a receiver that has none of its own. */
export const defaultLimits: PaceLimits = { connections: 10, messagesPerConnection: 100, messagesPerMinute: 6_000 };

/** Rules of every receiver, after its own: words that many mail systems use. */
export const commonRules: readonly ReplyRule[] = [
  rule(/messages from \S+ temporarily deferred/i, 2, slow(1), 60),
  refusal(/will be permanently deferred/i, 2, pauseReceiver, 240),
  refusal(/client host \S{1,50} blocked using \S{0,50}(spamhaus|barracudacentral|spamcop)/i, 5, pauseReceiver, 120),
];

/**
 * The mail systems that most mail goes to. Limits and texts of replies are those that the providers publish or that operators have
 * measured (public shaping files, postmaster pages and collections of replies, read 2026-11); where none is known, a limit is low. A
 * receiver is found by the name of its MX host, so it has every domain that is hosted there. No pattern needs more than linear time.
 */
export const receivers: readonly Receiver[] = [...mailboxes, ...filters, ...america, ...europe, ...asia];
