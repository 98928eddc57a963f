/** Broadcasts and contacts of the version that found the emails of a broadcast by an index (migrations 0055 to 0057). */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { parseFanOut } from "../../../src/audience/broadcasts/fan-out.ts";
import type { RecipientOut } from "../../../src/audience/broadcasts/report-schema.ts";
import { variantOf } from "../../../src/audience/broadcasts/split.ts";
import { apiOn, aWorkspace, discardingQueue, perSuite, testContext } from "../../support/workspace.ts";

const { TEST_BROADCASTS: old } = env;
const { beforeSplit, split } = env.TEST_MIGRATIONS;
const statements = [...beforeSplit, ...split];
const first = statements.findIndex((statement) => statement.includes("CREATE TABLE broadcast_pages"));

const workspace = perSuite(() => aWorkspace({ mailShard: 0 }));
const ids = Array.from({ length: 4 }, () => testContext().newId());

const run = (sql: string, ...values: unknown[]) =>
  old
    .prepare(sql)
    .bind(...values)
    .run();

async function insertBroadcast(index: number, status: string, arms: object[] | null): Promise<void> {
  const fanOut = { list: 1, lastContact: 9, cursor: "c", isComplete: false, split: arms && { isSample: true, arms } };
  await run(
    `INSERT INTO broadcasts (n, workspace, id, status, user_id, name, subject, from_address, from_domain, fan_out, size,
       created_at, updated_at) VALUES (?1, ?2, ?3, ?4, '', 'Old', 'Old', 'a@b.example', 'b.example', ?5, 1, 1, 1)`,
    ...[index + 1, workspace.workspaceNumber, ids[index], status, status === "draft" ? null : JSON.stringify(fanOut)],
  );
}

/** Inserts emails with these numbers; the broadcast is null for other mail. */
async function insertEmails(broadcast: number | null, numbers: number[]): Promise<void> {
  for (const n of numbers)
    await run(
      `INSERT INTO emails (n, workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject,
         recipients, events, content_offset, content_size, created_at, broadcast, contact, variant)
       VALUES (?1, ?2, ?3, 'delivered', 'broadcast', '', '', 'a@b.example', '', 'Old',
         json_array(json_object('kind', 'to', 'email', 'c' || CAST(?1 AS INTEGER) || '@example.org', 'state', 'delivered')), '[0]', 0, 0, 1,
         ?4, ?5, ?6)`,
      ...[n, workspace.workspaceNumber, testContext().newId(), broadcast, broadcast && n, broadcast && 0],
    );
}

beforeAll(async () => {
  await old.batch(statements.slice(0, first).map((statement) => old.prepare(statement)));
  const arms = [
    { variant: 1, size: 2, upTo: [4_503_599_627_370_497, "01900000-0000-7000-8000-000000000001"] },
    { variant: 2, size: 0, upTo: null },
    { variant: 3, size: 1, upTo: [9_007_199_254_740_991, "01900000-0000-7000-8000-000000000002"] },
  ];
  await insertBroadcast(0, "sending", arms);
  await insertBroadcast(1, "sent", arms);
  await insertBroadcast(2, "sending", null);
  await insertBroadcast(3, "draft", null);
  // Other mail, deleted emails and the emails of another broadcast between the pages.
  await insertEmails(1, [1, 2, 3]);
  await insertEmails(null, [4]);
  await insertEmails(1, [5, 9, 10]);
  await insertEmails(2, [6, 7, 8]);
  for (const [index, reason] of [null, "unsubscribe", "bounce", "manual"].entries())
    await run(
      "INSERT INTO contacts (n, workspace, list, id, email, email_key, suppressed, created_at) VALUES (?1, 1, 1, ?1, ?1, ?1, ?2, 1)",
      ...[index + 1, reason],
    );
  await old.batch(statements.slice(first).map((statement) => old.prepare(statement)));
});

describe("the upgrade of broadcasts", () => {
  it("finds every email of a broadcast by pages, and no other email", async () => {
    const { results } = await old.prepare("SELECT broadcast, first_n, last_n FROM broadcast_pages").all();
    expect(results).toEqual([
      { broadcast: 1, first_n: 1, last_n: 3 },
      { broadcast: 1, first_n: 5, last_n: 5 },
      { broadcast: 1, first_n: 9, last_n: 10 },
      { broadcast: 2, first_n: 6, last_n: 8 },
    ]);
    const api = apiOn({ MAIL_0: old, WORK: discardingQueue }, workspace.apiKey);
    const recipientsOf = async (id: string | undefined) => {
      const response = await api.get(`/v1/broadcasts/${id}/recipients`);
      expect(response.status).toBe(200);
      return (await response.json<RecipientOut[]>()).map(({ email }) => email);
    };
    expect(await recipientsOf(ids[0])).toEqual([1, 2, 3, 5, 9, 10].map((n) => `c${n}@example.org`));
    expect(await recipientsOf(ids[1])).toEqual([6, 7, 8].map((n) => `c${n}@example.org`));
    expect(await recipientsOf(ids[2])).toEqual([]);
  });

  it("keeps the variant of each contact, and the fan-outs that have no split yet", async () => {
    const { results } = await old
      .prepare("SELECT fan_out FROM broadcasts ORDER BY n")
      .all<{ fan_out: string | null }>();
    const fanOuts = results.map(({ fan_out }) => (fan_out === null ? null : parseFanOut(fan_out)));
    for (const fanOut of fanOuts.slice(0, 2)) {
      expect(fanOut).toMatchObject({ list: 1, cursor: "c", isComplete: false, split: { isSample: true } });
      const variantAt = (rank: number) => fanOut?.split && variantOf(fanOut.split, rank);
      expect(variantAt(4_503_599_627_370_497)).toBe(1);
      expect(variantAt(4_503_599_627_370_498)).toBe(3);
      expect(variantAt(9_007_199_254_740_991)).toBe(3);
    }
    expect(fanOuts[2]).toMatchObject({ list: 1, split: null });
    expect(fanOuts[3]).toBeNull();
  });

  it("marks the contacts that have unsubscribed, and no others", async () => {
    const { results } = await old.prepare("SELECT unsubscribed FROM contacts ORDER BY n").all();
    expect(results.map(({ unsubscribed }) => unsubscribed)).toEqual([0, 1, 0, 0]);
  });
});
