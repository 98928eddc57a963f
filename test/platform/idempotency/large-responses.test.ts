/** Responses above 16 KiB are stored in R2 for the 24 hours of their Idempotency-Key, and no object remains after that. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import { dayOf } from "../../../src/lib/time.ts";
import { erase } from "../../audience/people/support.ts";
import { mail } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { aMail, apiOn, aWorkspace, perTest, type TestWorkspace } from "../../support/workspace.ts";

const ROW_BYTES = 16 * 1024;
const today = dayOf(Date.now());
const workspace = perTest(aWorkspace);

const template = (bytes: number, key: string, api: Pick<TestWorkspace, "post"> = workspace) =>
  api.post("/v1/templates/", { name: "A", text_body: "x".repeat(bytes) }, { "Idempotency-Key": key });
const answersIn = async (db: D1Database) =>
  (
    await db
      .prepare("SELECT answer FROM idempotency_keys WHERE workspace = ?1")
      .bind(workspace.workspaceNumber)
      .all<{ answer: string }>()
  ).results.map(({ answer }) => answer);
/** Returns the objects of the responses of the workspace. */
const objects = async (of = workspace) =>
  (await env.CONTENT.list({ prefix: "responses/" })).objects
    .map(({ key }) => key)
    .filter((key) => key.split("/")[2] === String(of.workspaceNumber));
const sweep = () => runSchedule({ cron: "17 * * * *", scheduledTime: Date.now(), noRetry() {} }, env as Env);

/** Expects that the second response is a replay of the first one, byte by byte. */
async function expectReplay(first: Response, again: Response): Promise<void> {
  expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([first.status, "true"]);
  expect(again.headers.get("Content-Type")).toBe("application/json");
  expect(await again.text()).toBe(await first.text());
}

describe("a response above 16 KiB", () => {
  it("is replayed from an object that the row names, and one of 16 KiB from the row", async () => {
    const small = await template(1, "small");
    const overhead = (await small.clone().text()).length - 1;
    const fits = await template(ROW_BYTES - overhead, "fits");
    expect(await objects()).toEqual([]);
    const large = await template(ROW_BYTES - overhead + 1, "large");
    expect(await objects()).toHaveLength(1);
    const answers = await answersIn(env.DB);
    expect(answers.map((answer) => answer.length).sort((a, b) => a - b)).toEqual([
      expect.toSatisfy((length: number) => length < 60),
      overhead + 1,
      ROW_BYTES,
    ]);
    await expectReplay(fits, await template(ROW_BYTES - overhead, "fits"));
    await expectReplay(large, await template(ROW_BYTES - overhead + 1, "large"));
    expect((await template(2, "large")).status).toBe(409);
  });

  it("of characters with several bytes is measured in bytes", async () => {
    const body = { name: "Ä", text_body: "ä€🎈".repeat(2_000) };
    const post = () => workspace.post("/v1/templates/", body, { "Idempotency-Key": "k" });
    const first = await post();
    expect(await objects()).toHaveLength(1);
    await expectReplay(first, await post());
  });

  it("of a batch takes no room in the mail database, and the batch is sent once", async () => {
    const api = workspace.withoutQueue;
    const items = Array.from({ length: 250 }, (_, n) => aMail(workspace, { to: [{ email: `p${n}@example.org` }] }));
    const post = () => api.post("/v1/emails/batch", items, { "Idempotency-Key": "batch" });
    const first = await post();
    expect(first.status).toBe(202);
    expect((await answersIn(mail)).map((answer) => answer.length < 60)).toEqual([true]);
    await expectReplay(first, await post());
    const count = mail.prepare("SELECT count(*) AS n FROM emails WHERE workspace = ?1").bind(workspace.workspaceNumber);
    expect(await count.first("n")).toBe(250);
  });

  it("of calls with one key at once is that of the call that committed", async () => {
    const responses = await Promise.all([1, 2, 3].map(() => template(20_000, "k")));
    expect(new Set(await Promise.all(responses.map((response) => response.text()))).size).toBe(1);
    expect(await answersIn(env.DB)).toHaveLength(1);
  });

  for (const moment of ["before", "after"] as const)
    it(`is that of one call when the database fails ${moment} its write`, async () => {
      let isWrite = false;
      const DB = {
        prepare(sql: string) {
          isWrite ||= sql.includes("INTO templates");
          return env.DB.prepare(sql);
        },
        async batch(statements: D1PreparedStatement[]) {
          if (isWrite && moment === "before") throw new Error("D1 is down");
          const results = await env.DB.batch(statements);
          if (isWrite) throw new Error("D1 is down");
          return results;
        },
      };
      expect((await template(20_000, "k", apiOn({ DB }, workspace.apiKey))).status).toBe(500);
      const again = await template(20_000, "k");
      expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([
        201,
        moment === "after" ? "true" : null,
      ]);
      expect(await (await workspace.get("/v1/templates/")).json()).toEqual([await again.json()]);
    });
});

describe("objects of responses", () => {
  it("are deleted after 24 hours, also those that no row names, and not before", async () => {
    const response = await template(20_000, "k");
    const [kept = ""] = await objects();
    const put = (day: number) => env.CONTENT.put(`responses/${day}/${workspace.workspaceNumber}/orphan`, "{}");
    await Promise.all([today - 400, today - 2, today - 1].map(put));
    await sweep();
    expect(await objects()).toEqual([`responses/${today - 1}/${workspace.workspaceNumber}/orphan`, kept]);
    await expectReplay(response, await template(20_000, "k"));
  });

  it("are deleted in pages of a thousand", async () => {
    const put = (n: number) => env.CONTENT.put(`responses/${today - 3}/${workspace.workspaceNumber}/${n}`, "");
    await Promise.all(Array.from({ length: 1_005 }, (_, n) => put(n)));
    await sweep();
    expect(await objects()).toEqual([]);
  });

  it("are deleted with their workspace", async () => {
    const other = await aWorkspace();
    for (const of of [workspace, other]) await template(20_000, "k", of);
    const session = await aSession(workspace);
    expect((await session.call("DELETE", `/v1/workspaces/${workspace.workspaceId}`)).status).toBe(204);
    for (let n = 0; n < 3; n++) await runOutboxAt(Date.now() + 3_600_000, {}, ["purge"]);
    expect(await objects()).toEqual([]);
    expect(await objects(other)).toHaveLength(1);
  });

  it("are deleted by the erasure of a person, and the call is not made again", async () => {
    const person = "ada@example.org";
    const post = () =>
      workspace.post("/v1/templates/", { name: "A", text_body: person.repeat(2_000) }, { "Idempotency-Key": "k" });
    expect((await post()).status).toBe(201);
    await erase(workspace, person);
    expect(await objects()).toEqual([]);
    const again = await post();
    expect([again.status, await again.json()]).toEqual([
      409,
      { detail: "The response to this Idempotency-Key is no longer stored" },
    ]);
    expect(await (await workspace.get("/v1/templates/")).json()).toHaveLength(1);
  });
});

it("a call whose response R2 does not take changes nothing", async () => {
  const CONTENT = new Proxy(env.CONTENT, {
    get: (bucket, name) =>
      name === "put" ? () => Promise.reject(new Error("R2 is down")) : Reflect.get(bucket, name).bind(bucket),
  });
  expect((await template(20_000, "k", apiOn({ CONTENT }, workspace.apiKey))).status).toBe(500);
  expect(await (await workspace.get("/v1/templates/")).json()).toEqual([]);
  expect((await template(20_000, "k")).status).toBe(201);
});
