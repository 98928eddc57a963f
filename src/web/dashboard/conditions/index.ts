export { type ConditionChoices, namesOfChoices, readConditionChoices } from "./choices.ts";
export { describeCondition, type Names } from "./describe.ts";
export { type DraftGroup, emptyDraft, toDraft } from "./draft.ts";
export { ConditionFields, DefaultButton, KnownNames } from "./form.tsx";
export { atPlaces, CONDITION_FORM_BYTES, parseDraft, readConditions } from "./read.ts";
export { Sentences } from "./sentences.tsx";
