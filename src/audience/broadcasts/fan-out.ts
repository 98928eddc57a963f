import { type Counts, countsOf } from "./counts.ts";
import type { BroadcastStatus } from "./rules.ts";
import type { SkipCounts } from "./skip-reasons.ts";
import type { Split } from "./split.ts";

/** The audience of a broadcast, fixed at its first send, and the progress of sending. The column `fan_out` stores it. */
export interface FanOut {
  /** contact_lists.n of the audience, in the order in which they are read. */
  lists: readonly number[];
  /** The one that is read now. */
  list: number;
  /** Greatest contacts.n of the audience: later contacts do not belong to it. */
  lastContact: number;
  sender: Sender;
  /** Number of the topic (topics.n in the main database). Absent: none. */
  topic?: number;
  /** The segment that the audience is limited to. Absent: none. `lists` and `list` are then 0, which is no list: see parseFanOut. */
  segment?: SegmentMembers;
  /** Null until the audience is counted and split. */
  split: Plan | null;
  phase: Phase;
  /** Contacts that the phases before this one skipped. Absent in the first. */
  skippedBefore?: number;
  /** Contacts that are stored as skipped: those of the plan, and those since. Absent in broadcasts of earlier versions. */
  skipped?: SkipCounts;
  /** The counts of the sample at the promotion, which its verdict is computed from. Absent in promotions by earlier versions. */
  sample?: NumberedCounts[];
  /** Id of the last contact of the list that was read; empty at the start of a further list, null at the start of a phase. */
  cursor: string | null;
  /** True when every contact of the phase was read. */
  isComplete: boolean;
}

/** The members of a segment that a broadcast is for (broadcast_members), and how far they are stored. */
export interface SegmentMembers {
  /** Id of the segment. */
  id: string;
  /** contact_lists.n of the lists that the members are in; empty: all lists. */
  lists: readonly number[];
  /** The time that its conditions are evaluated for, in milliseconds since 1970. */
  at: number;
  /** Address of the person to continue after; null: all members are stored. */
  after: string | null;
  /** Members so far. */
  members: number;
}

/** The split of an audience, with the numbers of its contacts that are mailed and of the others. */
interface Plan extends Split {
  eligible: number;
  /** Absent in plans of earlier versions. */
  skipped?: SkipCounts;
}

/** The counts of a variant with its number; 0: of the broadcast's own content. */
export type NumberedCounts = Counts & { n: number };

/** The mailbox that a broadcast is sent from. Each email checks it again at dispatch. */
export interface Sender {
  mailboxId: string;
  domainId: string;
  domain: string;
  email: string;
  name: string | null;
}

/** `first`: the sample, or the whole list. `remainder`: the contacts outside the sample, who get `variant`. */
type Phase = { kind: "first" } | { kind: "remainder"; variant: number };

/** The names `arms` and `wave` are in rows of earlier versions, and an earlier version must read the rows of this one. */
interface StoredFanOut extends Omit<FanOut, "lists" | "split" | "phase"> {
  /** Absent when there is one. */
  lists?: readonly number[];
  split: (Omit<Plan, "variants"> & { arms: Split["variants"] }) | null;
  wave: Phase;
}

/** Returns a fan-out as the column `fan_out` stores it. */
export function serializeFanOut({ lists, split, phase, ...others }: FanOut): string {
  const { variants: arms = [], ...sizes } = split ?? {};
  const several = lists.length > 1 ? { lists } : {};
  return JSON.stringify({ ...others, ...several, split: split && { ...sizes, arms }, wave: phase });
}

/** Returns the fan-out of a column `fan_out`. */
export function parseFanOut(text: string): FanOut {
  const { split, wave: phase, ...stored } = JSON.parse(text) as StoredFanOut;
  const others = { ...stored, lists: stored.lists ?? [stored.list] };
  if (split === null) return { ...others, split, phase };
  const { arms: variants, ...sizes } = split;
  return { ...others, split: { ...sizes, variants }, phase };
}

/** A version that knows no segments finds no list, and cancels the broadcast instead of mailing the whole lists. */
const NO_LIST = 0;

/** Returns the fan-out of a first send to the members of a segment, in these lists if there are any, up to `lastContact`. */
export function newSegmentFanOut(
  segment: Pick<SegmentMembers, "id" | "lists" | "at">,
  lastContact: number,
  sending: { sender: Sender; topic: number | null },
): FanOut {
  return { ...newFanOut([NO_LIST], lastContact, sending), segment: { ...segment, after: "", members: 0 } };
}

/** Returns the lists that an audience needs, by contact_lists.n. */
export const neededLists = ({ segment, lists }: FanOut) => segment?.lists ?? lists;

/** Returns whether the members of a broadcast to a segment are to be stored still. */
export function isStoringMembers(fanOut: FanOut): fanOut is FanOut & { segment: SegmentMembers } {
  return fanOut.split === null && fanOut.segment !== undefined && fanOut.segment.after !== null;
}

/** Returns whether the contacts outside a sample may be mailed later. */
export const waitsForWinner = ({ split, phase }: FanOut) => split?.isSample === true && phase.kind === "first";

/** Returns the fan-out of a first send to the contacts of lists up to `lastContact`. */
export function newFanOut(
  lists: readonly [number, ...number[]],
  lastContact: number,
  { sender, topic }: { sender: Sender; topic: number | null },
): FanOut {
  const [list] = lists;
  const fixed = { lists, list, lastContact, sender, ...(topic === null ? {} : { topic }) };
  return { ...fixed, split: null, phase: { kind: "first" }, cursor: null, isComplete: false };
}

/** Returns the fan-out after a page of the list up to the contact `cursor`; after the last page, at the start of the next list. */
export function afterPage(fanOut: FanOut, { cursor, isLast }: { cursor: string | null; isLast: boolean }): FanOut {
  if (!isLast) return { ...fanOut, cursor };
  const next = fanOut.lists[fanOut.lists.indexOf(fanOut.list) + 1];
  return next === undefined ? { ...fanOut, cursor, isComplete: true } : { ...fanOut, list: next, cursor: "" };
}

/** Returns the fan-out after a promotion: the contacts outside the sample get a variant, by its number. Keeps the counts of all `variants`. */
export function toRemainder(
  { row, fanOut, counts }: { row: { status: BroadcastStatus }; fanOut: FanOut; counts: { queued: number } },
  { variant, variants, sender }: { variant: number; variants: readonly NumberedCounts[]; sender: Sender },
): FanOut {
  return {
    ...fanOut,
    list: fanOut.lists[0] ?? fanOut.list,
    sender,
    phase: { kind: "remainder", variant },
    cursor: null,
    isComplete: false,
    skippedBefore: skippedOf(fanOut, row.status, counts.queued),
    sample: variants.map((one) => ({ n: one.n, ...countsOf(one) })),
  };
}

/** Returns how many contacts of the audience are outside its sample. */
export function remainderSize({ split }: FanOut): number {
  return split === null ? 0 : split.eligible - split.variants.reduce((sum, { size }) => sum + size, 0);
}

/** Returns how many contacts a variant is for, or all variants together (`variant` undefined), in the phases begun. */
export function recipientsOf(fanOut: FanOut | null, variant?: number): number {
  if (!fanOut?.split) return 0;
  const { phase, split } = fanOut;
  const first = split.variants.filter((share) => variant === undefined || share.variant === variant);
  const isPromoted = phase.kind === "remainder" && (variant === undefined || phase.variant === variant);
  return first.reduce((sum, { size }) => sum + size, 0) + (isPromoted ? remainderSize(fanOut) : 0);
}

/**
 * Returns how many of the recipients get no email, although the audience was fixed with them: contacts that were deleted or suppressed
 * since, and all that were not reached when the broadcast was cancelled. Those of a phase are known when it is complete.
 */
export function skippedOf(fanOut: FanOut | null, status: BroadcastStatus, queued: number): number {
  const isKnown = fanOut?.isComplete || status === "sent" || status === "cancelled";
  return isKnown ? Math.max(0, recipientsOf(fanOut) - queued) : (fanOut?.skippedBefore ?? 0);
}
