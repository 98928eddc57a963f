import type { Action, ReplyRule } from "./types.ts";

/** Sends nothing to the receiver for the time of the rule. */
export const pauseReceiver: Action = { kind: "pause-receiver" };
/** Sends nothing at all for the time of the rule. */
export const pauseSource: Action = { kind: "pause-source" };
/** Has one connection for the time of the rule. */
export const oneConnection: Action = { kind: "narrow", connections: 1 };

/** Returns the action that sends at a lower rate. */
export const slow = (messagesPerMinute: number): Action => ({ kind: "slow", messagesPerMinute });

/** Returns a rule that acts for some minutes from the `threshold`-th matching reply of an hour on. */
export const rule = (pattern: RegExp, threshold: number, action: Action, minutes: number): ReplyRule => ({
  pattern,
  threshold,
  action,
  minutes,
});

/** Returns a rule of replies that refuse the rate or the address, also with a permanent code. */
export const refusal = (pattern: RegExp, threshold: number, action: Action, minutes: number): ReplyRule => ({
  ...rule(pattern, threshold, action, minutes),
  isTemporary: true,
});

/** Returns a rule that takes a temporary refusal for a permanent one. */
export const bounce = (pattern: RegExp): ReplyRule => rule(pattern, 1, { kind: "bounce" }, 0);
