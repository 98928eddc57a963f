/** Limits of forms (docs/contract/consent.md#forms). Pure. */
export const limits = {
  nameCharacters: 200,
  titleCharacters: 200,
  textCharacters: 2_000,
  buttonCharacters: 50,
  messageCharacters: 1_000,
  fields: 10,
  labelCharacters: 100,
  fieldCharacters: 128,
  valueCharacters: 500,
  urlCharacters: 2_000,
} as const;

/** Submissions of a form by one network (a /24 or /48), and by all. */
export const submissionPolicies = {
  network: { name: "form-submissions", limit: 30, windowSeconds: 3_600 },
  form: { name: "form-submissions-all", limit: 1_000, windowSeconds: 3_600 },
} as const;

/** The field that only programs fill in: a page hides it. */
export const HONEYPOT = "website";

/** A field of a form beside the address. `name` is that of the contact; every other one is a key of its metadata. */
export interface FormField {
  name: string;
  label: string;
  required: boolean;
}

/** The texts of a form, which are kept as evidence. */
export interface FormWords {
  kind: "form";
  title: string;
  text: string;
  button: string;
}

/** Names that a field cannot have: those of the form itself, and those that would change every object of JavaScript. */
const RESERVED: readonly string[] = ["email", HONEYPOT, "__proto__"];

/** Returns why fields cannot be those of one form, or null. Pure. */
export function fieldsIssue(fields: readonly FormField[]): string | null {
  const names = fields.map(({ name }) => name);
  const reserved = names.find((name) => RESERVED.includes(name));
  if (reserved !== undefined) return `a field cannot be called ${reserved}`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? null : `two fields are called ${repeated}`;
}
