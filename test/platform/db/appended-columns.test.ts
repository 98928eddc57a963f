/** The bounds of columns to which statements append (test/check/appended-columns.test.ts). */
import { expect, it } from "vitest";
import { dayOf } from "../../../src/lib/time.ts";
import { appendEventStatement } from "../../../src/mailboxes/inbound-log/index.ts";
import { addReceipt } from "../../../src/platform/idempotency/add-receipt.ts";
import { softBounceStatements } from "../../../src/sending/suppressions/index.ts";
import { aRawMessage, deliver } from "../../mailboxes/inbound/support.ts";
import { database } from "../../support/databases.ts";
import { aWorkspace, perTest, testContext } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

it("an inbound email gets no further event at 600,000 bytes", async () => {
  await deliver(`hello@${workspace.domain}`, aRawMessage({ Subject: "Hello" }));
  const own = { workspace: workspace.workspaceNumber };
  const id = await database.value<string>("SELECT id FROM inbound_emails WHERE workspace = ?1", [own.workspace]);
  const add = async (text: string) => {
    const event = { id: crypto.randomUUID(), type: "forwarded", at: 1, metadata: { text } };
    await appendEventStatement(testContext(), { ...own, id: id ?? "" }, event as never).run();
    return database.value<number>("SELECT octet_length(events) FROM inbound_emails WHERE id = ?1", [id]);
  };
  const grown = await add("x".repeat(599_000));
  expect(grown).toBeLessThan(600_000);
  const full = await add("x".repeat(10_000));
  expect(full).toBeGreaterThan(600_000);
  expect(await add("x")).toBe(full);
});

it("a stored response remembers its 16 newest replays", async () => {
  const ctx = testContext();
  const caller = { ...ctx, workspace: { number: workspace.workspaceNumber } } as never;
  await database.run(
    "INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at) VALUES (?1, ?2, 'k', 'f', '{\"id\":\"one\"}', 0)",
    [dayOf(ctx.now()), workspace.workspaceNumber],
  );
  for (let sequence = 1; sequence <= 20; sequence++) {
    const repeats = { ttlMs: 1, connection: "c", sequence };
    await addReceipt(caller, { keys: ["k"], fingerprint: "f", repeats, sealingKeys: async () => [] }, "one");
  }
  const row = await database.row(
    "SELECT json_array_length(answer, '$.receipts') AS count, answer->>'$.receipts[15].sequence' AS last FROM idempotency_keys WHERE workspace = ?1",
    [workspace.workspaceNumber],
  );
  expect(row).toEqual({ count: 16, last: 20 });
});

it("the soft bounces of an address have four emails at most", async () => {
  for (let hour = 0; hour < 200; hour += 20) {
    const ctx = testContext({}, () => 1e12 + hour * 3_600_000);
    const fact = {
      workspace: workspace.workspaceNumber,
      email: "ada@example.org",
      emailId: ctx.newId(),
      fact: "refused",
    } as const;
    await ctx.db.batch(softBounceStatements(ctx, [fact]));
  }
  const row = await database.row(
    "SELECT json_array_length(email_ids) AS emails FROM soft_bounces WHERE workspace = ?1",
    [workspace.workspaceNumber],
  );
  expect(row).toEqual({ emails: 4 });
});
