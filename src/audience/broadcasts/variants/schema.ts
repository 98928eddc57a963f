import * as z from "zod";
import { languages } from "../../../lib/personal-text.ts";
import { named } from "../../../lib/serialize.ts";
import { lineField } from "../../../lib/text-fields.ts";
import { limits } from "../rules.ts";
import { Body, Subject } from "../schema.ts";

/** Request and response schemas of variants. */

const Weight = z.int().min(1).max(limits.weight).describe("Relative share of the emails.");
const FALLBACK = "null: the body of the broadcast.";

const fields = {
  label: lineField("label", limits.labelCharacters).describe("Unique within the broadcast, without regard to case."),
  language: z
    .enum(languages)
    .nullish()
    .describe("Language of subject and bodies of this variant. null: that of the broadcast."),
  subject: Subject,
  html_body: Body.describe(`${FALLBACK} At most ${limits.contentBytes.toLocaleString("en")} bytes.`),
  text_body: Body.describe(`${FALLBACK} At most ${limits.contentBytes.toLocaleString("en")} bytes.`),
};

export const VariantIn = z.object({ ...fields, weight: Weight.default(1) }).meta({
  ref: "BroadcastVariantCreate",
  // `example`, not `examples`: zod drops those of a schema with a transform.
  example: { label: "B", subject: "Have you seen this, {{name}}?", weight: 1 },
});
export type VariantIn = z.output<typeof VariantIn>;

export const VariantPatch = z
  .object({ ...fields, weight: Weight })
  .partial()
  .meta({ ref: "BroadcastVariantUpdate", example: { weight: 2 } });
export type VariantPatch = z.output<typeof VariantPatch>;

export const VariantOut = z
  .object({
    id: z.uuid(),
    broadcast_id: z.uuid(),
    label: z.string(),
    language: z.enum(languages).nullable(),
    subject: z.string(),
    html_body: z.string().nullable(),
    text_body: z.string().nullable(),
    weight: z.int(),
    recipient_count: z.int(),
    delivered_count: z.int(),
    bounced_count: z.int(),
    failed_count: z.int(),
    opened_count: z.int(),
    clicked_count: z.int(),
    created_at: z.string().meta({ format: "date-time" }),
  })
  .meta(
    named("BroadcastVariant", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a12",
      broadcast_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a11",
      label: "B",
      language: null,
      subject: "Have you seen this, {{name}}?",
      html_body: null,
      text_body: null,
      weight: 1,
      recipient_count: 0,
      delivered_count: 0,
      bounced_count: 0,
      failed_count: 0,
      opened_count: 0,
      clicked_count: 0,
      created_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type VariantOut = z.output<typeof VariantOut>;
