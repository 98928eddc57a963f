import type { BroadcastOut, VariantOut } from "../../../audience/broadcasts/index.ts";

/** The steps of writing a broadcast, and which of them are done. Pure. */

export const STEPS = [
  { step: "audience", name: "Audience" },
  { step: "content", name: "Content" },
  { step: "test", name: "Test" },
  { step: "review", name: "Review" },
] as const;

export type Step = (typeof STEPS)[number]["step"];

type Content = Pick<BroadcastOut, "contact_list_id" | "segment_id" | "subject" | "html_body" | "text_body">;
type Variant = Pick<VariantOut, "html_body" | "text_body">;

export const pathOfStep = (broadcastId: string, step: Step) => `/app/broadcasts/${broadcastId}/${step}`;

/** Returns the step after or before another one, or the same at the end. */
export function stepBeside(step: Step, direction: "next" | "previous"): Step {
  const index = STEPS.findIndex((one) => one.step === step) + (direction === "next" ? 1 : -1);
  return STEPS[index]?.step ?? step;
}

/** Returns whether every recipient gets a subject and a body. A variant without a body has that of the broadcast. */
export function hasContent({ subject, html_body, text_body }: Content, variants: readonly Variant[]): boolean {
  if (html_body || text_body) return subject !== "" || variants.length > 0;
  return variants.length > 0 && variants.every((variant) => variant.html_body || variant.text_body);
}

/** Returns whether nothing is left to do in a step. A test is optional, and nothing is stored of it. */
export function isDone(step: Step, broadcast: Content, variants: readonly Variant[]): boolean {
  if (step === "audience") return broadcast.contact_list_id !== null || broadcast.segment_id !== null;
  if (step === "content") return hasContent(broadcast, variants);
  return false;
}

/** Returns the step at which a draft is opened: the first one that keeps it from being sent, or the review. */
export const firstUnfinished = (broadcast: Content, variants: readonly Variant[]): Step =>
  (["audience", "content"] as const).find((step) => !isDone(step, broadcast, variants)) ?? "review";
