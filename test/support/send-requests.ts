import fc from "fast-check";
import { expect } from "vitest";
import { run, type Sending, sendingFrom } from "./sending.ts";
import { aKey, aWorkspace, type TestWorkspace } from "./workspace.ts";

/** Response of /validate. */
export interface Validated {
  valid: boolean;
  can_send: boolean;
  issues: { field: string; error: string }[];
}

/** Generates mostly a valid value, sometimes one of the invalid ones, so that enough requests are valid as a whole. */
const mostly = (valid: fc.Arbitrary<unknown>, ...invalid: unknown[]) =>
  fc.oneof({ weight: 12, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...invalid) });
const optional = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: value });
const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const word = fc.constantFrom("a", "Anna", "ü €", "x y", "O'Neil");
const later = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

const person = (address: fc.Arbitrary<string>) =>
  fc.record(
    {
      email: mostly(address, "", "x", "a@b", "a\nb@example.org", null, 7),
      name: mostly(word, "a\nb", "x".repeat(400), null, 5),
    },
    { requiredKeys: ["email"] },
  );
const people = (max: number) =>
  mostly(
    fc.array(person(fc.nat(200).map((n) => `r${n}@example.org`)), { minLength: 1, maxLength: max }),
    Array.from({ length: 51 }, (_, n) => ({ email: `many${n}@example.org` })),
    "a@example.org",
  );
const attachment = fc.record(
  {
    filename: mostly(word, "a/b", "", "a\nb", 1),
    content_base64: mostly(fc.constantFrom("", "YQ==", "AAAA"), "?", "YQ", 3),
    content_type: mostly(fc.constantFrom("text/plain", "", null), "pdf", "a/b\r\nX: y"),
    content_id: mostly(fc.constantFrom("a@b", null), "<a>", "a b"),
  },
  { requiredKeys: ["filename", "content_base64"] },
);

/** Generates requests that are valid in most fields and invalid in some. */
export const requests = (mailbox: string) =>
  fc
    .record({
      from_: mostly(
        fc.record({
          email: mostly(fc.constantFrom(mailbox, mailbox.toUpperCase()), `x${mailbox}`, "x"),
          name: mostly(word, "\n"),
        }),
        null,
        mailbox,
      ),
      to: mostly(people(4), [], undefined),
      cc: optional(people(2)),
      bcc: optional(people(2)),
      reply_to: optional(person(fc.constant("reply@example.org"))),
      subject: mostly(text, "a\r\nb", "x".repeat(999), undefined, 1),
      text: mostly(text, "", null, undefined),
      html: optional(mostly(text, "", 1)),
      headers: optional(
        mostly(
          fc.dictionary(fc.constantFrom("X-A", "X-B"), word),
          { Subject: "x" },
          { "X A": "x" },
          { "X-A": "a\nb" },
          { a: 1 },
          [],
        ),
      ),
      tags: optional(
        mostly(
          fc.array(word, { maxLength: 10 }),
          [""],
          ["x".repeat(65)],
          Array.from({ length: 11 }, (_, n) => `x${n}`),
          "x",
        ),
      ),
      // Far enough from the limits that two consecutive calls decide alike.
      send_at: optional(
        mostly(fc.constantFrom(later(3600), later(29 * 86_400)), "never", later(-60), later(31 * 86_400), 5),
      ),
      attachments: optional(mostly(fc.array(attachment, { maxLength: 2 }), "x", [null])),
    })
    .map((request) => JSON.parse(JSON.stringify(request)) as unknown);

/** Callers that may send from a workspace's mailbox, and callers that may not. */
export async function sendersOf(workspace: TestWorkspace): Promise<Sending[]> {
  const own = sendingFrom(workspace);
  const limited = { ...workspace, apiKey: await aKey(workspace, { domainIds: [crypto.randomUUID()] }) };
  const paused = await aWorkspace();
  await run("UPDATE workspaces SET sending_paused_at = 1 WHERE id = ?1", paused.workspaceId);
  return [own, own, own, own, sendingFrom(limited), sendingFrom(paused)];
}

/**
 * Expects that a send did what /validate predicted, with the same errors in the same order. The request has no
 * suppressed recipient.
 */
export async function expectAgreement(validated: Validated, sent: Response): Promise<void> {
  const body = await sent.text();
  expect(sent.status === 202, body).toBe(validated.can_send);
  expect(validated.valid).toBe(validated.can_send);
  expect(validated.issues.length === 0).toBe(validated.valid);
  if (validated.can_send) return;
  const { detail } = JSON.parse(body) as { detail: string | { loc: (string | number)[]; msg: string }[] };
  const errors = validated.issues.map(({ error }) => error);
  if (typeof detail === "string") {
    expect([400, 403, 413]).toContain(sent.status);
    expect(
      errors.some((error) => error === detail || error.endsWith(`: ${detail}`)),
      body,
    ).toBe(true);
  } else {
    expect(sent.status).toBe(422);
    expect(detail.map(({ loc, msg }) => [...(loc.length > 1 ? [loc.slice(1).join(".")] : []), msg].join(": "))).toEqual(
      errors,
    );
  }
}
