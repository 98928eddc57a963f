import { BroadcastIn, type BroadcastOut, BroadcastPatch, type VariantOut } from "../../../audience/broadcasts/index.ts";
import { inputOf } from "../../../http/form-input.ts";
import { readTime } from "../../../http/time-field.ts";
import { type FormValues, versionOf } from "../../../lib/form-version.ts";
import { contentValues, readContent, toContent, toTexts, type WrittenContent } from "../blocks/index.ts";

/** The forms of the steps of a broadcast: what each shows and changes. Pure. */

export type FormStep = "audience" | "content" | "review";

/** The fields of the form of each step, with their labels. */
const LABELS: Readonly<Record<FormStep, Readonly<Record<string, string>>>> = {
  audience: {
    name: "Name",
    from_address: "From",
    contact_list_id: "Audience",
    more_contact_list_ids: "Further lists",
    topic_id: "Topic",
    segment_id: "Segment",
  },
  content: {
    subject: "Subject",
    preheader: "Preview text",
    ab_test_pct: "Sample in percent",
    ab_auto_promote: "Hours until the winner is sent",
    ab_min_lift: "Least lead",
  },
  review: { scheduled_at: "Send at", local_time_field: "By which clock", max_per_hour: "Emails an hour" },
};

/** The field with several values. A form holds them with commas between. */
const LISTS = "more_contact_list_ids";

/** The form of a step, as it was filled in. */
export interface StepForm {
  step: FormStep;
  /** By the name of the field. Times are in ISO 8601. */
  values: Readonly<Record<string, string>>;
  /** Of the second step. Null: another one. */
  content: WrittenContent | null;
  /** Subjects of new variants by their labels. Empty: no variant is added. */
  variants: ReadonlyMap<string, string>;
  /** Of what the form began from. Empty: a new broadcast. */
  version: string;
  /** Of what the review shows beside its form. Empty: another step. */
  reviewed: string;
}

/** Returns the form of a step of a broadcast. Null: a new one. */
export function toStepForm(step: FormStep, broadcast: BroadcastOut | null): StepForm {
  const { after_hours: hours, min_lift: lift = 0 } = broadcast?.ab_auto_promote ?? {};
  const winner = { ab_auto_promote: hours, ab_min_lift: hours && toPoints(lift) };
  const stored: Readonly<Record<string, unknown>> | null = broadcast && { ...broadcast, ...winner };
  const values = Object.fromEntries(Object.keys(LABELS[step]).map((field) => [field, String(stored?.[field] ?? "")]));
  const content = broadcast && step === "content" ? toContent(broadcast) : null;
  const form = { step, values, content, variants: new Map() };
  return {
    ...form,
    version: broadcast === null ? "" : versionOf(valuesOf(form)),
    reviewed: broadcast === null || step !== "review" ? "" : reviewedVersion(broadcast),
  };
}

/** Returns the version of what the review of a broadcast shows beside its form: audience, sender and content, as it is sent. */
export const reviewedVersion = (broadcast: BroadcastOut): string =>
  versionOf({
    ...valuesOf(toStepForm("audience", broadcast)),
    ...valuesOf(toStepForm("content", broadcast)),
    HTML: broadcast.html_body ?? "",
    Text: broadcast.text_body ?? "",
  });

/** Returns what a form shows and changes, by label. */
export const valuesOf = ({ step, values, content }: Pick<StepForm, "step" | "values" | "content">): FormValues => ({
  ...Object.fromEntries(Object.entries(LABELS[step]).map(([field, label]) => [label, values[field] ?? ""])),
  ...(content && contentValues(content)),
});

/** Prefix of the fields that have the subjects of new variants, before their labels. */
const VARIANT = "variant.";
export const fieldOfVariant = (label: string) => VARIANT + label;

/** Reads the submitted form of a step. */
export function readStepForm(step: FormStep, fields: URLSearchParams): StepForm {
  const field = (name: string) => (fields.get(name) ?? "").replaceAll("\r\n", "\n");
  const texts = Object.keys(LABELS[step]).map((name): [string, string] => [
    name,
    name === LISTS ? fields.getAll(name).join() : field(name),
  ]);
  const added = [...fields].filter(([name, subject]) => name.startsWith(VARIANT) && subject.trim() !== "");
  return {
    step,
    values: {
      ...Object.fromEntries(texts),
      ...(step === "review" ? { scheduled_at: readTime(fields, "scheduled_at", field("stored_scheduled_at")) } : {}),
    },
    content: step === "content" ? readContent(fields) : null,
    variants: new Map(added.map(([name, subject]) => [name.slice(VARIANT.length), subject])),
    version: field("version"),
    reviewed: field("reviewed"),
  };
}

/** Returns a part of one as percentage points. */
const toPoints = (part: number) => Math.round(part * 1e6) / 1e4;

const readers = {
  ab_auto_promote: (form: URLSearchParams) => {
    const hours = form.get("ab_auto_promote");
    if (!hours) return hours === null ? undefined : null;
    return { metric: "clicks", after_hours: Number(hours), min_lift: Number(form.get("ab_min_lift")) / 100 };
  },
  more_contact_list_ids: (form: URLSearchParams) => (form.get(LISTS) === "" ? null : form.get(LISTS)?.split(",")),
};

/** Returns the request of the API that creates a broadcast by the form of its first step. */
export const toBroadcast = ({ values }: StepForm): BroadcastIn =>
  inputOf(BroadcastIn, readers)(new URLSearchParams({ subject: "", ...values }));

/** Returns the part of a request of the API that the form of a step is about, in place of the one that is stored. Throws as `toTexts`. */
export const toPatch = ({ values, content }: StepForm, stored: StepForm): BroadcastPatch => ({
  ...inputOf(BroadcastPatch, readers)(new URLSearchParams(values)),
  ...(content && toTexts(content, stored.content?.blocks)),
});

const LETTERS = [..."ABCDEFGHIJ"];

/** Returns the labels of the variants that the form offers to add: two at first, then one, as letters that no variant has. */
export function newLabels(variants: readonly Pick<VariantOut, "label">[]): string[] {
  const used = new Set(variants.map(({ label }) => label.toUpperCase()));
  const free = LETTERS.filter((letter) => !used.has(letter)).slice(0, Math.max(0, LETTERS.length - variants.length));
  return free.slice(0, variants.length === 0 ? 2 : 1);
}
