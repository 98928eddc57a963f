/** Content of small emails moves from their rows to R2, packed, and is readable at any moment. */

import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { MailCtx } from "../../../src/platform/context.ts";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { deliver } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { acceptingEgress } from "../../support/accepting-egress.ts";
import { countingDb, rowsRead, type Statement } from "../../support/counting-db.ts";
import { database, MAIL_BINDING, wrapDatabases } from "../../support/databases.ts";
import { type FailureInjection, failingDatabase, failingObjects } from "../../support/failures.ts";
import { offloadContent, runRetention } from "../../support/retention.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import {
  aWorkspace,
  perTest,
  recordingContext,
  type TestWorkspace,
  testContext,
  until,
} from "../../support/workspace.ts";

const MINUTE = 60_000;
const THREE_DAYS = 72 * 60 * MINUTE;
const workspace = perTest(aWorkspace);

beforeEach(async () => {
  await run("DELETE FROM outbox");
  await run("DELETE FROM emails");
  await run("UPDATE content_progress SET n = 0, swept_n = 0");
});

const egress = acceptingEgress;

/** The text of email `n`: letters of one to four bytes, so that offsets in characters and in bytes differ. */
const textOf = (n: number) => `Grüße ${n} 😀 ${"x".repeat(n)}`;

async function accept(ctx: MailCtx, count: number, from: TestWorkspace = workspace): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await acceptEmail(ctx, from, { text: textOf(n) }));
  return ids;
}

interface Row {
  id: string;
  status: string;
  content: string | null;
  content_key: string | null;
}

const rows = async () => await database.rows<Row>("SELECT id, status, content, content_key FROM emails ORDER BY n");

/** Expects that the detail of each email has its text, wherever its content is. */
async function expectReadable(ids: readonly string[], from: TestWorkspace = workspace): Promise<void> {
  for (const [n, id] of ids.entries()) {
    const { text_body } = await (await from.get(`/v1/emails/${id}`)).json<{ text_body: string }>();
    expect(text_body).toBe(textOf(n));
  }
}

const failingPut = {
  get: env.CONTENT.get.bind(env.CONTENT),
  put: () => Promise.reject(new Error("R2 is unavailable")),
};

describe("a delivery of several emails of a workspace", () => {
  it("moves their content to one object without a further row written", async () => {
    const written: number[] = [];
    // The first delivery also writes rows that the hour has once.
    for (const CONTENT of [failingPut, failingPut, env.CONTENT]) {
      const { bindings, trips } = countingDb();
      const { ctx, woken } = recordingContext();
      const ids = await accept(ctx, 6);
      const { open } = egress.transport;
      const slow: typeof open = async (...to) => new Promise((resolve) => setTimeout(() => resolve(open(...to)), 300));
      await deliver(testContext({ ...bindings, CONTENT }), woken, { ...egress, transport: { open: slow } });
      written.push(trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0));
      await expectReadable(ids);
    }
    const keys = (await rows()).map(({ content, content_key }) => [content === null, content_key]);
    expect(keys.slice(0, 12)).toEqual(Array(12).fill([false, null]));
    expect(keys.slice(12)).toEqual(Array(6).fill([true, expect.stringMatching(/^packs\//)]));
    expect(new Set(keys.map(([, key]) => key)).size).toBe(2);
    expect(written[2]).toBe(written[1]);
  });

  it("writes outcomes before R2 has responded, and sets the keys then", async () => {
    const response = Promise.withResolvers<void>();
    const put: R2Bucket["put"] = async (key: string, value: ArrayBufferView) => {
      await response.promise;
      return env.CONTENT.put(key, value) as never;
    };
    const { ctx, woken } = recordingContext();
    const ids = await accept(ctx, 6);
    const delivery = deliver(testContext({ CONTENT: { get: failingPut.get, put } }), woken, egress);
    const statuses = async () => (await rows()).map(({ status }) => status);
    await until(statuses, (all) => all.every((status) => status === "delivered"));
    await expectReadable(ids);
    response.resolve();
    await delivery;
    expect((await rows()).filter(({ content }) => content !== null)).toEqual([]);
    await expectReadable(ids);
  });

  it("leaves lone emails to cron, which packs those of three days", async () => {
    const { ctx, woken } = recordingContext();
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) {
      ids.push(await acceptEmail(ctx, workspace, { text: textOf(n) }));
      await deliver(ctx, woken.splice(0), egress);
      await offloadContent(testContext({}, () => Date.now() + 2 * MINUTE));
    }
    const inRow = ["delivered", true];
    expect((await rows()).map(({ status, content }) => [status, content !== null])).toEqual([inRow, inRow]);
    const { bindings, trips } = countingDb();
    const later = testContext({}, () => Date.now() + THREE_DAYS + MINUTE);
    await offloadContent(withMail(later, asDatabase<"mail">(bindings[MAIL_BINDING] as unknown as D1Database)));
    const moved = await rows();
    expect(moved.map(({ content }) => content)).toEqual([null, null]);
    expect(new Set(moved.map(({ content_key }) => content_key)).size).toBe(1);
    // One for each email and one for the progress.
    expect(trips.reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0)).toBe(3);
    await expectReadable(ids);
  });
});

describe("the cron run", () => {
  it("moves content to one object for each workspace, whatever the status, and none of emails younger than a minute", async () => {
    const { ctx } = recordingContext();
    const other = await aWorkspace();
    const mine = await accept(ctx, 6);
    const theirs = await accept(ctx, 5, other);
    await offloadContent(ctx);
    expect((await rows()).filter(({ content }) => content === null)).toEqual([]);
    await offloadContent(testContext({}, () => Date.now() + 2 * MINUTE));
    const keys = (await rows()).map(({ content_key }) => content_key);
    expect(new Set(keys).size).toBe(2);
    expect(keys[0]).toMatch(new RegExp(`^w/${workspace.workspaceId}/packs/`));
    expect(keys[6]).toMatch(new RegExp(`^w/${other.workspaceId}/packs/`));
    await expectReadable(mine);
    await expectReadable(theirs, other);
  });

  it("leaves the emails of a workspace with few in their rows for three days, also when it has moved those of others", async () => {
    const { ctx } = recordingContext();
    const other = await aWorkspace();
    const mine = await accept(ctx, 5);
    const theirs = await accept(ctx, 4, other);
    const inRows = async () => (await rows()).filter(({ content }) => content !== null).length;
    for (const minutes of [2, 12, 71 * 60]) {
      await offloadContent(testContext({}, () => Date.now() + minutes * MINUTE));
      expect(await inRows()).toBe(4);
    }
    await offloadContent(testContext({}, () => Date.now() + THREE_DAYS + MINUTE));
    expect(await inRows()).toBe(0);
    await expectReadable(mine);
    await expectReadable(theirs, other);
  });

  it("writes nothing while there is nothing to move", async () => {
    const { ctx } = recordingContext();
    await accept(ctx, 4);
    const { bindings, trips } = countingDb();
    const later = testContext({}, () => Date.now() + 2 * MINUTE);
    await offloadContent(withMail(later, asDatabase<"mail">(bindings[MAIL_BINDING] as unknown as D1Database)));
    expect(trips.map(({ rowsWritten }) => rowsWritten ?? 0)).toEqual([0, 0, 0]);
  });

  it("reads each email once, also those that get the number of a deleted one", async () => {
    const later = () => testContext({}, () => Date.now() + 2 * MINUTE);
    const { ctx } = recordingContext();
    await accept(ctx, 5);
    await offloadContent(later());
    const { bindings, trips } = countingDb();
    await offloadContent(withMail(later(), asDatabase<"mail">(bindings[MAIL_BINDING] as unknown as D1Database)));
    expect(trips).toHaveLength(2);
    for (const { statements } of trips) expect(await rowsRead(statements[0] as Statement)).toBeLessThan(3);
    await run("UPDATE emails SET status = 'delivered', created_at = 1");
    await run("DELETE FROM outbox");
    await runRetention(testContext({ RETENTION_DAYS: "30" }));
    expect(await rows()).toEqual([]);
    const ids = await accept(ctx, 5);
    await offloadContent(later());
    expect((await rows()).map(({ content }) => content)).toEqual(Array(5).fill(null));
    await expectReadable(ids);
  });

  it("keeps the own object of an email with attachments of an earlier version", async () => {
    const { ctx } = recordingContext();
    const file = { filename: "a.txt", content_base64: btoa("A file") };
    await acceptEmail(ctx, workspace, { attachments: [file] });
    const id = (await rows())[0]?.id ?? "";
    const object = await env.CONTENT.get(`w/${workspace.workspaceId}/emails/${id}`);
    const document = (await object?.text())?.slice("A file".length) ?? "";
    await run("UPDATE emails SET content_key = NULL, content = ?1", document);
    await offloadContent(testContext({}, () => Date.now() + THREE_DAYS + MINUTE));
    expect((await rows()).map(({ content_key }) => content_key)).toEqual([null]);
    expect((await workspace.get(`/v1/emails/${id}`)).status).toBe(200);
  });
});

describe("the database file", () => {
  it("uses the space of moved content again", async () => {
    const { ctx } = recordingContext();
    const count = 100;
    /** Accepts emails with 2 KB of content, moves it to R2, and returns the size of the database in bytes. */
    const sizeAfterRound = async () => {
      for (let n = 0; n < count; n += 10) {
        const text = "x".repeat(2_000);
        await Promise.all(Array.from({ length: 10 }, () => acceptEmail(ctx, workspace, { text })));
      }
      await offloadContent({ ...ctx, now: () => Date.now() + 2 * MINUTE });
      const { meta } = await run("DELETE FROM outbox");
      return meta.size_after;
    };
    const first = await sizeAfterRound();
    const growth = ((await sizeAfterRound()) - first) / count;
    expect((await rows()).filter(({ content }) => content !== null)).toEqual([]);
    // About 740 bytes; 4,100 when the content leaves its space unused in the page of its row.
    expect(growth).toBeLessThan(2_000);
  });
});

describe("a failure at any step of a move", () => {
  for (const moment of ["before", "after"] as const) {
    it(`${moment} the call leaves every email readable, and a later run completes the move`, async () => {
      const { ctx, woken } = recordingContext();
      const ids = await accept(ctx, 6);
      const injection: FailureInjection = {
        random: () => 1,
        chance: 0.5,
        bindings: ["database", "objects"],
        moments: [moment],
        count: 0,
      };
      const bindings: Record<string, unknown> = {
        ...wrapDatabases((real) => failingDatabase(real, injection)),
        CONTENT: failingObjects(env.CONTENT, injection),
      };
      const failingCtx = testContext(bindings, () => Date.now() + 2 * MINUTE);
      for (let failing = 0, hit = true; hit; failing++) {
        let calls = 0;
        injection.count = 0;
        injection.random = () => (calls++ === failing ? 0 : 0.99);
        await run("UPDATE content_progress SET n = 0, swept_n = 0");
        await offloadContent(failingCtx).catch(() => {});
        hit = injection.count > 0;
        await expectReadable(ids);
      }
      expect((await rows()).filter(({ content }) => content !== null)).toEqual([]);
      await deliver(ctx, woken, egress);
      expect((await rows()).map(({ status }) => status)).toEqual(Array(6).fill("delivered"));
    });

    it(`${moment} a call of a delivery leaves every email readable`, async () => {
      const injection: FailureInjection = {
        random: () => 1,
        chance: 0.5,
        bindings: ["database", "objects"],
        moments: [moment],
        count: 0,
      };
      const bindings: Record<string, unknown> = {
        ...wrapDatabases((real) => failingDatabase(real, injection)),
        CONTENT: failingObjects(env.CONTENT, injection),
      };
      for (let failing = 0, hit = true; hit; failing++) {
        await run("DELETE FROM outbox");
        const { ctx, woken } = recordingContext();
        const ids = await accept(ctx, 6);
        let calls = 0;
        injection.count = 0;
        injection.random = () => (calls++ === failing ? 0 : 0.99);
        await deliver(
          withMail(
            { ...ctx, env: { ...ctx.env, ...bindings } as Env, db: asDatabase<"main">(bindings.DB as D1Database) },
            asDatabase<"mail">(bindings[MAIL_BINDING] as D1Database),
          ),
          woken,
          egress,
        ).catch(() => {});
        hit = injection.count > 0;
        await expectReadable(ids);
      }
    });
  }
});

describe("retention", () => {
  it("deletes a pack with the last email that names it, however far apart their rows are", async () => {
    const now = Date.now();
    const { ctx } = recordingContext();
    const ids = await accept(ctx, 2);
    await offloadContent(testContext({}, () => now + THREE_DAYS + MINUTE));
    const key = (await rows())[0]?.content_key ?? "";
    await run("UPDATE emails SET n = n + 100000 WHERE id = ?1", ids[1]);
    await run("UPDATE emails SET status = 'delivered', due_at = NULL");
    await run("DELETE FROM outbox");
    for (const [index, expected] of [true, false].entries()) {
      await run("UPDATE emails SET created_at = 1 WHERE id = ?1", ids[index]);
      await runRetention(testContext({ RETENTION_DAYS: "30" }, () => now));
      await runOutboxAt(now + 10 * MINUTE, {}, ["purge"]);
      expect((await env.CONTENT.head(key)) !== null).toBe(expected);
    }
  });
});
