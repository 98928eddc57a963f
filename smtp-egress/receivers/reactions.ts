import type { Action, ReplyRule } from "./types.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Replies of a rule that are remembered: no threshold is greater. */
export const MAX_TIMES = 100;

/** Times of matching replies by rule, newest last, in ms: those of one source address at one receiver. */
export type SeenReplies = ReadonlyMap<ReplyRule, readonly number[]>;

/** An action that is in force, and the reply that caused it. */
export interface Reaction {
  action: Action;
  /** End, in ms since 1970. */
  until: number;
  reply: string;
}

/**
 * Returns the replies that are remembered after a further one, and the action that it causes, or null. The first rule that
 * matches counts. Pure.
 */
export function noteReply(
  seen: SeenReplies,
  rules: readonly ReplyRule[],
  { reply, now }: { reply: string; now: number },
): { seen: SeenReplies; reaction: Reaction | null } {
  const rule = rules.find(({ pattern }) => pattern.test(reply));
  if (!rule) return { seen, reaction: null };
  const times = [...(seen.get(rule) ?? []).filter((at) => at > now - HOUR_MS), now].slice(-MAX_TIMES);
  const isMet = times.length >= rule.threshold;
  return {
    seen: new Map(seen).set(rule, times),
    reaction: isMet ? { action: rule.action, until: now + rule.minutes * MINUTE_MS, reply } : null,
  };
}

/** Returns whether a reply with a permanent code refuses the rate or the source address and not the email. Pure. */
export function isTemporary(rules: readonly ReplyRule[], reply: string): boolean {
  return rules.find(({ pattern }) => pattern.test(reply))?.isTemporary === true;
}
