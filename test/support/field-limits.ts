import fc from "fast-check";

/**
 * Generates send requests whose fields are valid, at their limit or beyond it, with the response of
 * docs/contract/limits.md#one-email and docs/contract/emails.md#send-request. The limits are written out here and not imported,
 * so that a changed limit is noticed.
 */

/** An error that a value has: the status that a send returns, and the path of the field in the body. */
export interface ExpectedError {
  status: 400 | 413 | 422;
  loc: (string | number)[];
  /** The value has the wrong type. A send reports such errors first and alone. */
  form?: true;
}

/** Values of some fields of a request, and the error they have, if any. */
interface Choice {
  fields: Record<string, unknown>;
  error: ExpectedError | null;
}

export interface GeneratedRequest {
  request: Record<string, unknown>;
  errors: ExpectedError[];
}

const MIB = 1024 * 1024;
const ok = (fields: Record<string, unknown>): Choice => ({ fields, error: null });
const bad = (fields: Record<string, unknown>, status: 400 | 413 | 422, ...loc: (string | number)[]): Choice => ({
  fields,
  error: { status, loc },
});
const badForm = (fields: Record<string, unknown>, ...loc: (string | number)[]): Choice => ({
  fields,
  error: { status: 422, loc, form: true },
});

const people = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, i) => ({ email: `${prefix}${i}@example.org` }));
const only = (email: string, name?: unknown) => ({ to: [{ email, name }], cc: null, bcc: null });
const LOCAL_64 = "l".repeat(64);
const LABEL_60 = "d".repeat(60);
/** Returns an address of exactly `bytes` bytes, whose local part has 64. */
const address = (bytes: number) =>
  `${LOCAL_64}@${LABEL_60}.${LABEL_60}.${"e".repeat(bytes - 64 - 1 - 2 * 61 - 8)}.example`;

const recipients: Choice[] = [
  ok(only("a@example.org")),
  ok(only("a@example.org", "n".repeat(320))),
  ok(only("a@example.org", "ü".repeat(160))),
  ok(only(`${LOCAL_64}@example.org`)),
  ok(only(address(254))),
  ok({ to: people(48, "t"), cc: people(1, "c"), bcc: people(1, "b") }),
  ok({ to: people(50, "t"), cc: people(50, "T"), bcc: null }),
  bad({ to: people(51, "t"), cc: null, bcc: null }, 422, "to"),
  bad({ to: people(48, "t"), cc: people(2, "c"), bcc: people(1, "b") }, 422, "to"),
  bad({ to: [], cc: people(1, "c"), bcc: null }, 422, "to"),
  bad(only(`l${LOCAL_64}@example.org`), 422, "to", 0, "email"),
  bad(only(address(255)), 422, "to", 0, "email"),
  bad(only("a@example.org", "n".repeat(321)), 422, "to", 0, "name"),
  bad({ to: people(1, "t"), cc: [{ email: "no address" }], bcc: null }, 422, "cc", 0, "email"),
  bad({ to: people(1, "t"), cc: null, bcc: [{ email: "b@example.org", name: "a\u202eb" }] }, 422, "bcc", 0, "name"),
  badForm({ to: undefined, cc: null, bcc: null }, "to"),
  badForm({ to: "a@example.org", cc: null, bcc: null }, "to"),
  badForm({ to: [{ name: "x" }], cc: null, bcc: null }, "to", 0, "email"),
];

const senders = (mailbox: string): Choice[] => [
  ok({ from_: { email: mailbox } }),
  ok({ from_: { email: mailbox, name: "n".repeat(320) } }),
  ok({ from_: { email: mailbox.toUpperCase(), name: mailbox } }),
  bad({ from_: { email: mailbox, name: "n".repeat(321) } }, 422, "from_", "name"),
  bad({ from_: { email: mailbox, name: "ceo@bank.example" } }, 422, "from_", "name"),
  bad({ from_: { email: `x${mailbox}` } }, 422, "from_", "email"),
  bad({ from_: { email: "x" } }, 422, "from_", "email"),
  badForm({ from_: mailbox }, "from_"),
];

const subjects: Choice[] = [
  ok({ subject: "" }),
  ok({ subject: "s".repeat(998) }),
  ok({ subject: "ü".repeat(499) }),
  bad({ subject: "s".repeat(999) }, 422, "subject"),
  bad({ subject: `${"ü".repeat(499)}s` }, 422, "subject"),
  bad({ subject: "a\nb" }, 422, "subject"),
  badForm({ subject: 1 }, "subject"),
];

const bodies: Choice[] = [
  ok({ text: "t", html: undefined }),
  ok({ text: undefined, html: "<p>" }),
  bad({ text: "", html: null }, 422, "html"),
  badForm({ text: 1, html: "h" }, "text"),
];
const largeBodies: Choice[] = [
  ok({ text: "t".repeat(2_000_000), html: "h".repeat(3_000_000) }),
  bad({ text: "t".repeat(2_000_000), html: "h".repeat(3_000_001) }, 413),
];

const replies: Choice[] = [
  ok({ reply_to: undefined }),
  ok({ reply_to: { email: "r@example.org", name: "n".repeat(320) } }),
  bad({ reply_to: { email: "r@example.org", name: "n".repeat(321) } }, 422, "reply_to", "name"),
  bad({ reply_to: { email: "r@example.org", name: "ceo@bank.example" } }, 422, "reply_to", "name"),
  bad({ reply_to: { email: "r" } }, 422, "reply_to", "email"),
];

const someHeaders = (count: number, value = "v") =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`X-${100 + i}`, value]));
const headers: Choice[] = [
  ok({ headers: undefined }),
  ok({ headers: someHeaders(50) }),
  // Names of 5 bytes and values of 507: 32 of them are 16 KiB.
  ok({ headers: someHeaders(32, "v".repeat(507)) }),
  ok({ headers: { ["H".repeat(76)]: "v" } }),
  ok({ headers: { "X-A": "v".repeat(993) } }),
  bad({ headers: someHeaders(51) }, 422, "headers"),
  bad({ headers: { ...someHeaders(32, "v".repeat(507)), X: "" } }, 422, "headers"),
  bad({ headers: { ["H".repeat(77)]: "v" } }, 422, "headers", "H".repeat(77)),
  bad({ headers: { "X-A": "v".repeat(994) } }, 422, "headers", "X-A"),
  bad({ headers: { "Reply-To": "v" } }, 422, "headers", "Reply-To"),
  bad({ headers: { "X-PM-Tag": "v" } }, 422, "headers", "X-PM-Tag"),
  bad({ headers: { "X-A": "1", "x-a": "2" } }, 422, "headers", "x-a"),
  badForm({ headers: { "X-A": 1 } }, "headers", "X-A"),
];

const someTags = (count: number) => Array.from({ length: count }, (_, i) => `t${i}`);
const tags: Choice[] = [
  ok({ tags: undefined }),
  ok({ tags: [...someTags(10), ...someTags(10)] }),
  ok({ tags: ["😀".repeat(64)] }),
  bad({ tags: someTags(11) }, 422, "tags"),
  bad({ tags: ["x".repeat(65)] }, 422, "tags", 0),
  bad({ tags: ["ok", ""] }, 422, "tags", 1),
  badForm({ tags: "x" }, "tags"),
];

// Far enough from the limits that consecutive calls decide alike.
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
const times = (): Choice[] => [
  ok({ send_at: undefined }),
  ok({ send_at: inSeconds(600) }),
  ok({ send_at: inSeconds(30 * 86_400 - 5) }),
  bad({ send_at: inSeconds(30) }, 400, "send_at"),
  bad({ send_at: inSeconds(30 * 86_400 + 600) }, 400, "send_at"),
  bad({ send_at: 5 }, 400, "send_at"),
];

const file = (changes: Record<string, unknown>) => ({ filename: "a", content_base64: "YQ==", ...changes });
const attachments: Choice[] = [
  ok({ attachments: undefined }),
  ok({ attachments: Array.from({ length: 100 }, () => file({})) }),
  ok({ attachments: [file({ filename: "f".repeat(255), content_id: "i".repeat(250) })] }),
  ok({ attachments: [file({ content_type: `a/${"b".repeat(127)}; c=${"d".repeat(119)}`, content_base64: "" })] }),
  bad({ attachments: Array.from({ length: 101 }, () => file({})) }, 422, "attachments"),
  bad({ attachments: [file({ filename: "f".repeat(256) })] }, 422, "attachments", 0, "filename"),
  bad({ attachments: [file({ filename: ".." })] }, 422, "attachments", 0, "filename"),
  bad({ attachments: [file({ content_id: "i".repeat(251) })] }, 422, "attachments", 0, "content_id"),
  bad({ attachments: [file({ content_type: `a/${"b".repeat(128)}` })] }, 422, "attachments", 0, "content_type"),
  bad({ attachments: [file({ content_base64: "YQ" })] }, 400, "attachments", 0, "content_base64"),
  badForm({ attachments: [file({ disposition: "both" })] }, "attachments", 0, "disposition"),
  badForm({ attachments: [{ content_base64: "" }] }, "attachments", 0, "filename"),
];
const base64Of = (bytes: number) => "A".repeat((bytes / 3) * 4);
const largeAttachments: Choice[] = [
  ok({ attachments: [file({ content_base64: base64Of(12 * MIB) }), file({ content_base64: base64Of(12 * MIB) })] }),
  bad({ attachments: [file({ content_base64: base64Of(24 * MIB + 3) })] }, 413, "attachments"),
];

const others: Choice[] = [
  ok({ tracking: undefined, template_id: undefined }),
  ok({ tracking: { opens: true, clicks: null }, template_id: null }),
  badForm({ tracking: { opens: "yes" } }, "tracking", "opens"),
  bad({ template_id: "x" }, 422, "template_id"),
];

/** Chooses mostly among valid values, so that enough whole requests are valid and others have few errors. */
function choose(choices: readonly Choice[]): fc.Arbitrary<Choice> {
  const valid = choices.filter(({ error }) => error === null);
  const invalid = choices.filter(({ error }) => error !== null);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...valid) },
    { weight: 1, arbitrary: fc.constantFrom(...invalid) },
  );
}

const groups = (mailbox: string): Choice[][] => [
  ...[senders(mailbox), recipients, subjects, bodies, replies, headers, tags, times(), attachments, others],
];

function combine(choices: readonly Choice[]): GeneratedRequest {
  return {
    request: Object.assign({}, ...choices.map(({ fields }) => fields)),
    errors: choices.flatMap(({ error }) => error ?? []),
  };
}

/** Returns every value of every field once, in a request that is valid otherwise. */
export function everyFieldLimit(mailbox: string): GeneratedRequest[] {
  const all = groups(mailbox);
  const first = all.map(([choice]) => choice).filter((choice) => choice !== undefined);
  return all.flatMap((group, index) => group.map((choice) => combine(first.with(index, choice))));
}

/** Returns the limits of html, text and attachments, whose requests have up to 34 MB. */
export function everyLargeLimit(mailbox: string): GeneratedRequest[] {
  const first = groups(mailbox).flatMap(([choice]) => choice ?? []);
  return [...largeBodies, ...largeAttachments].map((choice) => combine([...first, choice]));
}

/** Generates random combinations of values of all fields. */
export function fieldCombinations(mailbox: string): fc.Arbitrary<GeneratedRequest> {
  return fc.tuple(...groups(mailbox).map(choose)).map(combine);
}

/** Returns the errors that a send reports: those of the form alone, else those of the status that comes first. */
export function reportedErrors(errors: readonly ExpectedError[]): ExpectedError[] {
  const form = errors.filter(({ form }) => form);
  if (form.length > 0) return form;
  for (const status of [413, 400] as const) {
    const found = errors.filter((error) => error.status === status);
    if (found.length > 0) return found;
  }
  return [...errors];
}
