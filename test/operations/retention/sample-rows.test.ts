/** How much each workspace has of a mail database, and who may send when that is nearly full. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { checkRecipient } from "../../../src/mailboxes/inbound/receive.ts";
import { sampleRows } from "../../../src/operations/retention/sample-rows.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, FILE_SHARD, mail } from "../../support/databases.ts";
import { runToEnd } from "../../support/retention.ts";
import {
  aMail,
  apiOn,
  aWorkspace,
  discardingQueue,
  recordingContext,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

const INSERT_EVENTS = `
  INSERT INTO events (workspace, id, email_key, name, data, occurred_at, created_at)
  WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ?2)
  SELECT ?1, ?1 || '-' || n, 'a@example.org', 'seen', printf('{"a":"%*s"}', 1000, 'x'), 0, 0 FROM c`;

let large: TestWorkspace;
let small: TestWorkspace;
beforeAll(async () => {
  [large, small] = [await aWorkspace(), await aWorkspace()];
  for (const workspace of [large, small]) await acceptEmail(recordingContext().ctx, workspace);
  await database.run(INSERT_EVENTS, [large.workspaceNumber, 3_000]);
});

const sizeOf = async () => (await mail.prepare("SELECT 1").all()).meta.size_after;
const sample = (limits: Record<string, string> = {}) => runToEnd(sampleRows(testContext(limits)));
const storedOf = async ({ workspaceNumber }: TestWorkspace) =>
  JSON.parse(
    (await database.value<string>("SELECT stored FROM shard_workspaces WHERE number = ?1", [workspaceNumber])) ?? "",
  );
const send = ({ apiKey, ...workspace }: TestWorkspace, limits: Record<string, string>) =>
  apiOn({ ...limits, WORK: discardingQueue }, apiKey).post("/v1/emails/", aMail(workspace));
/** Limits below the size of the database, which is not above them by 9 %. */
const nearlyFull = async () => {
  const limit = String(Math.floor((await sizeOf()) * 0.97));
  return { SHARD_ACCEPT_LIMIT: limit, SHARD_WARNING_LIMIT: limit };
};

describe("the sample of a mail database", () => {
  it("counts the rows of a small table exactly, and divides the bytes of the database", async () => {
    await sample();
    const [ofLarge, ofSmall] = [await storedOf(large), await storedOf(small)];
    expect(ofLarge).toMatchObject({ events: 3_000, emails: 1 });
    expect(ofSmall).toMatchObject({ emails: 1 });
    expect(ofLarge.bytes).toBeGreaterThan(3_000_000);
    expect(ofLarge.bytes).toBeLessThanOrEqual((await sizeOf()) * 1.05);
    expect(ofSmall.bytes).toBeLessThan(ofLarge.bytes / 100);
  });

  it("estimates the rows of a large table within a few percent", async () => {
    await database.run(INSERT_EVENTS.replace("?1 || '-' || n", "?1 || '+' || n"), [small.workspaceNumber, 9_000]);
    await sample();
    const { events } = await storedOf(large);
    expect(events).toBeGreaterThan(2_600);
    expect(events).toBeLessThan(3_400);
    await database.run("DELETE FROM events WHERE workspace = ?1", [small.workspaceNumber]);
  });
});

describe("a mail database that is nearly full", () => {
  it("refuses new emails from and to the workspace above its equal share, and none of another", async () => {
    const limits = await nearlyFull();
    await env.DB.prepare("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, ?2)")
      .bind(FILE_SHARD, await sizeOf())
      .run();
    await sample(limits);
    const refused = await send(large, limits);
    expect([refused.status, await refused.json()]).toEqual([
      429,
      {
        detail: expect.stringMatching(
          /^The mail database of this workspace is nearly full, and the workspace has more than/,
        ),
      },
    ]);
    expect(refused.headers.get("Retry-After")).toBe("3600");
    expect((await send(small, limits)).status).toBe(202);
    const receives = (to: string) => checkRecipient(testContext(limits), to);
    const reply = "452 4.3.1 The server has no space for mail of this recipient";
    expect(await receives(large.mailbox)).toEqual({ accepted: false, reply });
    expect(await receives(small.mailbox)).toEqual({ accepted: true, kind: "mailbox" });
    expect((await send(large, {})).status, "a database with room refuses no one").toBe(202);
  });

  it("takes its emails again once it has less", async () => {
    const limits = await nearlyFull();
    await database.run("DELETE FROM events WHERE workspace = ?1", [large.workspaceNumber]);
    await sample(limits);
    expect((await send(large, limits)).status).toBe(202);
  });
});

describe("the content of a workspace in R2", () => {
  it("has a budget, at whose end its new emails are refused", async () => {
    const set = (stored: object, budgets: object) =>
      env.DB.prepare("UPDATE workspaces SET stored = ?2, budgets = ?3 WHERE number = ?1")
        .bind(small.workspaceNumber, JSON.stringify(stored), JSON.stringify(budgets))
        .run();
    await set({ content: 50_000 }, {});
    const refused = await send(small, {});
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { detail: expect.stringMatching(/^This workspace has as much content as it may/) },
    ]);
    const contact = { name: "Readers" };
    expect((await small.post("/v1/contacts/", contact)).status, "no list has content").toBe(201);
    await set({ content: 50_000, over_share: 1 }, {});
    expect((await send(small, {})).status, "whatever its share is").toBe(429);
    expect((await small.post("/v1/templates/", { name: "A", html_body: "x".repeat(20_000) })).status).toBe(429);
    await set({ content: 50_000 }, { content: 60_000 });
    expect((await send(small, {})).status).toBe(202);
  });
});
