import {
  createVariant,
  deleteVariant,
  getBroadcast,
  toRecord,
  updateBroadcast,
  VariantIn,
} from "../../../audience/broadcasts/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { onceForForm } from "../../../http/page-routes.ts";
import { conflict, unprocessable } from "../../../lib/errors.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import { atBlocks } from "../blocks/index.ts";
import { fieldOfVariant, reviewedVersion, type StepForm, toPatch, toStepForm, valuesOf } from "./step-form.tsx";

/** Variants that one form adds at most. */
const MAX_NEW = 10;

export const idOf = (c: AppContext) => c.req.param("broadcast_id") ?? "";

/** Saves the form of a step. Throws 409 when what it shows, or what the review shows beside it, was changed since it was opened. */
export async function saveStep(c: AppContext, form: StepForm): Promise<void> {
  const caller = c.get("caller");
  const stored = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
  const before = toStepForm(form.step, stored);
  const patch = toPatch(form, before);
  requireVersion(form.version, valuesOf(before), valuesOf(form));
  if (form.reviewed !== "" && form.reviewed !== reviewedVersion(stored))
    throw conflict("The broadcast was changed after you opened this page. Look at it again, then send it");
  await atBlocks(form.content?.blocks, () => updateBroadcast(caller, idOf(c), patch));
}

/** Returns the variants that a form adds. Throws 422 that names their fields. */
export const parseVariants = ({ variants }: StepForm): VariantIn[] =>
  [...variants].slice(0, MAX_NEW).map(([label, subject]) => parseVariant(label, subject));

/** Adds the variants of a form once each, however often it is submitted. */
export async function addVariants(c: AppContext, inputs: readonly VariantIn[]): Promise<void> {
  const key = c.get("form")?.get("idempotency_key") ?? "";
  for (const input of inputs) {
    const same = JSON.stringify([idOf(c), input.label, input.subject]);
    await onceForForm(c, (ctx) => createVariant(ctx, idOf(c), input), same, `${key} ${input.label}`);
  }
}

function parseVariant(label: string, subject: string): VariantIn {
  const result = VariantIn.safeParse({ label, subject });
  if (result.success) return result.data;
  const loc = ["body", fieldOfVariant(label)];
  throw unprocessable(result.error.issues.map(({ message: msg }) => ({ loc, msg, type: "value_error" })));
}

export const removeVariant = (c: AppContext, variantId: string) => deleteVariant(c.get("caller"), idOf(c), variantId);
