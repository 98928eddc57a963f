import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchOut } from "../../../../src/sending/emails/batch/schema.ts";
import { byExtent } from "../../../support/extent.ts";
import {
  everyFieldLimit,
  everyLargeLimit,
  fieldCombinations,
  type GeneratedRequest,
  reportedErrors,
} from "../../../support/field-limits.ts";
import type { Validated } from "../../../support/send-requests.ts";
import { sendingFrom } from "../../../support/sending.ts";
import { aWorkspace, perSuite } from "../../../support/workspace.ts";

const seed = 20_261_121;
const COMBINATIONS = byExtent({ quick: 30, full: 80, long: 3_000 });
const BATCH = 20;

const workspace = perSuite(aWorkspace);
const sending = perSuite(() => sendingFrom(workspace));

const describeRequest = ({ request, errors }: GeneratedRequest) =>
  JSON.stringify({ errors, request }, (_, value) =>
    typeof value === "string" && value.length > 80 ? `${value.slice(0, 20)}…(${value.length})` : value,
  ).slice(0, 3_000);
const paths = (errors: readonly { loc: readonly unknown[] }[]) => errors.map(({ loc }) => loc.join(".")).sort();

async function expectSend(generated: GeneratedRequest): Promise<void> {
  const text = describeRequest(generated);
  const expected = reportedErrors(generated.errors);
  const response = await sending.api.post("/v1/emails/", generated.request);
  const body = await response.text();
  expect(response.status, `${body} ${text}`).toBe(expected[0]?.status ?? 202);
  if (response.status !== 422) return;
  const { detail } = JSON.parse(body) as { detail: { loc: unknown[] }[] };
  expect(paths(detail.map(({ loc }) => ({ loc: loc.slice(1) }))), text).toEqual(paths(expected));
}

async function expectValidate(generated: GeneratedRequest): Promise<void> {
  const text = describeRequest(generated);
  const response = await sending.api.post("/v1/emails/validate", generated.request);
  expect(response.status, text).toBe(200);
  const { valid, can_send, issues } = await response.json<Validated>();
  const isValid = generated.errors.length === 0;
  expect([valid, can_send, issues.length === 0], text).toEqual([isValid, isValid, isValid]);
  // Errors of the form hide the others; all others are reported together.
  const form = generated.errors.filter((error) => error.form);
  for (const { loc, status } of form.length > 0 ? form : generated.errors) {
    // A size that is exceeded while the body is read has no path.
    const path = status === 413 ? "" : `${loc.join(".")}: `;
    expect(
      issues.some(({ error }) => error.startsWith(path)),
      text,
    ).toBe(true);
  }
}

async function expectBatch(all: readonly GeneratedRequest[]): Promise<void> {
  const response = await sending.api.post(
    "/v1/emails/batch",
    all.map(({ request }) => request),
  );
  expect(response.status).toBe(202);
  const { results, total, sent } = await response.json<BatchOut>();
  expect([total, sent]).toEqual([all.length, all.filter(({ errors }) => errors.length === 0).length]);
  for (const [index, generated] of all.entries()) {
    const { id, status, rejection_reason } = results[index] ?? { id: null, status: null, rejection_reason: null };
    const text = `${rejection_reason} ${describeRequest(generated)}`;
    if (generated.errors.length === 0) {
      expect([typeof id, rejection_reason], text).toEqual(["string", null]);
      expect(status, text).toBe(generated.request.send_at ? "scheduled" : "queued");
      continue;
    }
    expect([id, status], text).toEqual([null, "error"]);
    const [first] = reportedErrors(generated.errors);
    // A body above 64 KiB is parsed while it is read, so base64 is checked there before the form of its item.
    const ofItem = generated.errors.filter(({ status, loc }) => status === 422 || loc.at(-1) === "content_base64");
    if (first?.status === 422)
      expect(
        ofItem.some(({ loc }) => rejection_reason?.startsWith(`${loc.join(".")}: `)),
        text,
      ).toBe(true);
    else expect(rejection_reason, text).toEqual(expect.stringMatching(/./));
  }
}

const inBatches = (all: readonly GeneratedRequest[]) =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, n) => all.slice(n * BATCH, (n + 1) * BATCH));

describe("every field, valid, at its limit and beyond it", () => {
  it("is treated by send as the contract says", async () => {
    for (const generated of everyFieldLimit(workspace.mailbox)) await expectSend(generated);
  }, 60_000);

  it("is reported by validate with the same errors", async () => {
    for (const generated of everyFieldLimit(workspace.mailbox)) await expectValidate(generated);
  }, 60_000);

  it("is treated by batch item by item", async () => {
    for (const items of inBatches(everyFieldLimit(workspace.mailbox))) await expectBatch(items);
  }, 60_000);

  it.runIf(env.TEST_FULL)(
    "of many MB is treated alike by send, validate and batch",
    async () => {
      for (const generated of everyLargeLimit(workspace.mailbox)) {
        await expectSend(generated);
        await expectValidate(generated);
        await expectBatch([generated]);
      }
    },
    180_000,
  );
});

describe("random combinations of fields", () => {
  it("are treated alike by send, validate and batch", async () => {
    const all = fc.sample(fieldCombinations(workspace.mailbox), { numRuns: COMBINATIONS, seed });
    const invalid = all.filter(({ errors }) => errors.length > 0).length;
    // The run needs enough of both kinds.
    expect(Math.min(invalid, all.length - invalid)).toBeGreaterThan(COMBINATIONS / 10);
    for (const generated of all) {
      await expectSend(generated);
      await expectValidate(generated);
    }
    for (const items of inBatches(all)) await expectBatch(items);
  }, 900_000);
});
