/** Sizes of mail databases: placement of workspaces, content in rows, and refusal of new mail. The limits are settings. */
import { createScheduledController } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import { MAIN_NUMBER } from "../../../src/platform/jobs/shard-sizes.ts";
import { database, FILE_SHARD } from "../../support/databases.ts";
import { accepted, readEmail } from "../../support/emails.ts";
import { anAccessToken } from "../../support/oauth.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, perTest } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);

/** Measures the databases as the cron run of each minute does. */
const measure = () =>
  runSchedule(createScheduledController({ cron: "* * * * *", scheduledTime: new Date() }), {
    ...env,
    WORK: discardingQueue,
  } as unknown as Env);

const withLimits = (limits: Record<string, string>, key = workspace.apiKey) =>
  apiOn({ ...limits, WORK: discardingQueue }, key);

const sizes = async () =>
  (await env.DB.prepare("SELECT number, size FROM mail_shards ORDER BY number").all<{ number: number; size: number }>())
    .results;

describe("the size of a mail database", () => {
  it("is measured by cron for every database", async () => {
    await measure();
    expect((await sizes()).map(({ number }) => number)).toEqual([MAIN_NUMBER, 0, 1]);
    expect(Math.min(...(await sizes()).map(({ size }) => size))).toBeGreaterThan(10_000);
  });

  it("above the limit of new emails returns 503 with Retry-After to every send, while outcomes are still written", async () => {
    const sink = await sinkServer();
    const { id } = await accepted(await withLimits({}).post("/v1/emails/", aMail(workspace)));
    await measure();
    const full = withLimits({ SHARD_ACCEPT_LIMIT: "1" });
    const single = await full.post("/v1/emails/", aMail(workspace));
    expect(single.status).toBe(503);
    expect(Number(single.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect((await full.post("/v1/emails/batch", [aMail(workspace)])).status).toBe(503);
    const client = withLimits({ SHARD_ACCEPT_LIMIT: "1" }, await anAccessToken(workspace));
    expect((await client.post("/v1/emails/", aMail(workspace))).status).toBe(503);
    expect((await full.get("/v1/emails/")).status).toBe(200);
    await runOutboxAt(Date.now(), { EGRESS_URL: sink.url, SHARD_ACCEPT_LIMIT: "1" }, ["deliver"]);
    expect((await readEmail(workspace, id)).status).toBe("delivered");
  });

  it("below the limit again ends the refusals", async () => {
    await database.run("INSERT OR REPLACE INTO mail_shards (number, size) VALUES (?1, 9900000000)", [FILE_SHARD]);
    expect((await withLimits({}).post("/v1/emails/", aMail(workspace))).status).toBe(503);
    await measure();
    expect((await withLimits({}).post("/v1/emails/", aMail(workspace))).status).toBe(202);
  });

  it("above the limit of content stores content in R2 only", async () => {
    await measure();
    const inRow = async (id: string) =>
      (await database.value("SELECT content FROM emails WHERE id = ?1", [id])) !== null;
    const below = await accepted(await withLimits({}).post("/v1/emails/", aMail(workspace)));
    const above = await accepted(await withLimits({ SHARD_CONTENT_LIMIT: "1" }).post("/v1/emails/", aMail(workspace)));
    expect([await inRow(below.id), await inRow(above.id)]).toEqual([true, false]);
    expect(JSON.stringify(await readEmail(workspace, above.id))).toContain("A text.");
  });

  it("decides where a new workspace is placed: on the emptiest open database, alternately when they are equal", async () => {
    const place = async () => (await aWorkspace({ mailShard: undefined })).mailShard;
    await database.run("DELETE FROM mail_shards");
    expect([await place(), await place(), await place(), await place()]).toEqual([0, 1, 0, 1]);
    await database.run("UPDATE mail_shards SET size = 2000000000 WHERE number = 0");
    expect([await place(), await place()]).toEqual([1, 1]);
    await database.run("UPDATE mail_shards SET size = 6000000000 WHERE number = 1");
    expect(await place()).toBe(0);
    await database.run("UPDATE mail_shards SET is_open = 0 WHERE number = 0");
    await expect(place()).rejects.toThrow("malformed JSON");
  });
});
