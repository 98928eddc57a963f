/** Limits of one source address at one receiver. */
export interface PaceLimits {
  /** Connections at a time. */
  connections: number;
  /** Messages on a connection, after which it is closed. */
  messagesPerConnection: number;
  messagesPerMinute: number;
}

/** An action that a rule takes for a time. */
export type Action =
  /** Lowers the rate of this source address at the receiver. */
  | { kind: "slow"; messagesPerMinute: number }
  /** Lowers the number of connections of this source address to the receiver. */
  | { kind: "narrow"; connections: number }
  /** Sends nothing from this source address to the receiver. */
  | { kind: "pause-receiver" }
  /**
   * Sends nothing from this source address to any receiver. Only rules of known receivers have it: an unknown server could stop
   * all mail with a few replies.
   */
  | { kind: "pause-source" }
  /** Takes a temporary refusal for a permanent one: the receiver never accepts such a message. */
  | { kind: "bounce" };

/** A reaction to replies of a receiver. */
export interface ReplyRule {
  /** Tested against the whole reply on one line: code, enhanced code and text. */
  pattern: RegExp;
  /** Matching replies within an hour from which the rule acts. */
  threshold: number;
  action: Action;
  /** For how long it acts, counted from the last matching reply. 0 for `bounce`, which concerns the one reply. */
  minutes: number;
  /** True when a reply with a permanent code refuses the rate or the source address and not the email: it is tried again. */
  isTemporary?: boolean;
}

/** A mail system that serves many domains. */
export interface Receiver {
  /** Key in metrics, settings and tables: lower case letters, digits and hyphens. A mail system without an entry has a dot in it. */
  name: string;
  /** Shown to people. */
  label: string;
  /** Ends of the names of its MX hosts, each with a leading dot. */
  mxSuffixes: readonly string[];
  /** Limits other than those of `defaultLimits`. */
  limits: Partial<PaceLimits>;
  rules: readonly ReplyRule[];
}

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
