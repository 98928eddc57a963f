import { sampleRange } from "./split.ts";

/** Statuses, transitions and limits of broadcasts (docs/contract/broadcasts.md#broadcast-statuses). Pure. */

export const statuses = ["draft", "scheduled", "sending", "sent", "cancelled"] as const;
export type BroadcastStatus = (typeof statuses)[number];

/** Every transition. A test checks each row, and that every other pair is refused. */
export const transitions = [
  { from: "draft", on: "edit", to: "draft" },
  { from: "draft", on: "schedule", to: "scheduled" },
  { from: "draft", on: "send", to: "sending" },
  { from: "scheduled", on: "edit", to: "scheduled" },
  { from: "scheduled", on: "schedule", to: "scheduled" },
  { from: "scheduled", on: "unschedule", to: "draft" },
  { from: "draft", on: "unschedule", to: "draft" },
  { from: "scheduled", on: "send", to: "sending" },
  { from: "scheduled", on: "cancel", to: "cancelled" },
  { from: "sending", on: "cancel", to: "cancelled" },
  { from: "sending", on: "pause", to: "sending" },
  { from: "sending", on: "resume", to: "sending" },
  // Every recipient of the phase had its first attempt or was skipped.
  { from: "sending", on: "complete", to: "sent" },
  { from: "sent", on: "promote", to: "sending" },
] as const satisfies readonly { from: BroadcastStatus; on: string; to: BroadcastStatus }[];

export type BroadcastEvent = (typeof transitions)[number]["on"];

/** Returns the status after an event, or null when the broadcast refuses it in this status. */
export function statusAfter(from: BroadcastStatus, on: BroadcastEvent): BroadcastStatus | null {
  return transitions.find((row) => row.from === from && row.on === on)?.to ?? null;
}

/** Returns whether content and variants may change. */
export const isEditable = (status: BroadcastStatus) => statusAfter(status, "edit") !== null;

export const limits = {
  nameCharacters: 200,
  subjectBytes: 998,
  preheaderCharacters: 500,
  labelCharacters: 100,
  fieldCharacters: 200,
  /**
   * A broadcast or a variant as JSON, in bytes. Less than a template, whose row D1 holds up to 2,000,000 bytes, since a run holds the
   * contents of ten variants at once.
   */
  contentBytes: 1_000_000,
  weight: 1_000_000,
  maxPerHour: 10_000_000,
  testRecipients: 10,
  /** Contact lists of a broadcast after the first. */
  moreLists: 9,
  /** Contacts of the lists that are sent to: planning holds the rank of each, and reads them within one invocation. */
  audience: 2_000_000,
} as const;

/** The fields of a content, which is too large as a whole. */
export const contentFields = ["html_body", "text_body"] as const;

/** A page of the list ends before this many bytes, after one broadcast at least. */
export const PAGE_BYTES = 8_000_000;

/** Returns a sample percentage from 1 to 99 clamped into 5 to 90 (docs/contract/broadcasts.md#sample-and-variants). */
export const clampSamplePct = (pct: number): number => Math.min(sampleRange.max, Math.max(sampleRange.min, pct));
