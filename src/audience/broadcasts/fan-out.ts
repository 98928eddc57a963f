import type { Split } from "./split.ts";

/** The audience of a broadcast and what was sent to it, as the column `fan_out` stores it. Fixed at the first send. */
export interface FanOut {
  /** contact_lists.n. */
  list: number;
  /** Greatest contacts.n of the audience: later contacts do not belong to it. */
  lastContact: number;
  sender: Sender;
  /** Null until the audience is counted and split. */
  split: (Split & { eligible: number }) | null;
  wave: Wave;
  /** Id of the last contact that was read; null at the start of a wave. */
  cursor: string | null;
  /** True when every contact of the wave was read. */
  isComplete: boolean;
}

/** The mailbox that a broadcast is sent from. Each email checks it again at dispatch. */
export interface Sender {
  mailboxId: string;
  domainId: string;
  domain: string;
  email: string;
  name: string | null;
}

/** `first`: the sample, or the whole list. `remainder`: the contacts outside the sample, who get `variant`. */
export type Wave = { kind: "first" } | { kind: "remainder"; variant: number };

/** Returns the fan-out of a first send to the contacts of a list up to `lastContact`. */
export function newFanOut(list: number, lastContact: number, sender: Sender): FanOut {
  return { list, lastContact, sender, split: null, wave: { kind: "first" }, cursor: null, isComplete: false };
}

/** Returns how many contacts of the audience are outside its sample. */
export function remainderSize({ split }: FanOut): number {
  return split === null ? 0 : split.eligible - split.arms.reduce((sum, { size }) => sum + size, 0);
}

/** Returns how many contacts a variant is for, or all variants together (`variant` undefined), in the waves begun. */
export function recipientsOf(fanOut: FanOut | null, variant?: number): number {
  if (!fanOut?.split) return 0;
  const { wave, split } = fanOut;
  const first = split.arms.filter((arm) => variant === undefined || arm.variant === variant);
  const isPromoted = wave.kind === "remainder" && (variant === undefined || wave.variant === variant);
  return first.reduce((sum, { size }) => sum + size, 0) + (isPromoted ? remainderSize(fanOut) : 0);
}
