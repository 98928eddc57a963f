/** Outbox rows whose work alone fails by its content: they are set aside, and the others of their claim are done. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onMain } from "../../../src/platform/jobs/shards.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database, FILE_SHARD, MAIL_BINDING, mail } from "../../support/databases.ts";
import { ERRORS } from "../../support/distance/rules.ts";
import { isoIn } from "../../support/emails.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aSession } from "../../support/sessions.ts";
import { watchDatabase } from "../../support/watch-database.ts";
import { aMail, apiOn, aWorkspace, perTest, recordingContext } from "../../support/workspace.ts";

const HOUR = 3_600_000;
const TOKEN = "token-of-the-monitoring-0123456789ab";
const workspace = perTest(aWorkspace);
const path = `/v1/admin/quarantines/${FILE_SHARD}`;

const empty = async () => {
  for (const db of [mail, env.DB])
    await db.batch(["outbox", "quarantine"].map((name) => db.prepare(`DELETE FROM ${name}`)));
};
beforeEach(empty);
afterEach(empty);

/** Processes what is due, with a mail database whose claims are counted and may fail. */
async function runAt(now: number, failure: Error | null = null): Promise<number> {
  let claims = 0;
  const binding = watchDatabase(env[MAIL_BINDING], async (_, statements, run) => {
    if (!statements.some(({ sql }) => sql.includes("claims = claims + 1"))) return run();
    claims += 1;
    if (failure) throw failure;
    return run();
  });
  await runOutboxAt(now, { [MAIL_BINDING]: binding }, ["deliver"]);
  return claims;
}
const soon = () => runAt(Date.now() + 1_000);
const acceptMany = async (count: number) => {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await acceptEmail(recordingContext().ctx, workspace));
  return ids;
};

const quarantined = async (db = mail) =>
  (
    await db
      .prepare("SELECT id, kind, error FROM quarantine ORDER BY id")
      .all<{ id: string; kind: string; error: string }>()
  ).results;
const statuses = () =>
  database.rows("SELECT status, count(*) AS emails FROM emails WHERE workspace = ?1 GROUP BY status ORDER BY status", [
    workspace.workspaceNumber,
  ]);
const statusOf = (id: string) => database.value("SELECT status FROM emails WHERE id = ?1", [id]);
const notices = () =>
  database.value("SELECT count(*) FROM notifications WHERE workspace = ?1 AND title = 'An email cannot be sent'", [
    workspace.workspaceNumber,
  ]);
const breakEmail = (column: "recipients" | "events", id = "") =>
  database.run(`UPDATE emails SET ${column} = 'no JSON' WHERE id = ?1`, [id]);
const breakRef = (id = "") => database.run("UPDATE outbox SET ref = '[no JSON' WHERE id = ?1", [id]);

async function anOperator() {
  await database.run("UPDATE users SET is_platform_admin = 1 WHERE id = ?1", [workspace.userId]);
  return aSession(workspace);
}

describe("an email that cannot be claimed for its content", () => {
  for (const [what, damage, message] of [
    ["recipients that are no JSON", (id: string) => breakEmail("recipients", id), /SyntaxError/],
    ["events that are no JSON", (id: string) => breakEmail("events", id), /JSON/],
    ["an outbox row that is no JSON", breakRef, /malformed JSON/],
  ] as const)
    it(`is set aside alone, and the other 99 are delivered in the same run: ${what}`, async () => {
      const ids = await acceptMany(100);
      const bad = ids[37] ?? "";
      await damage(bad);
      const claims = await soon();
      expect(await quarantined()).toEqual([{ id: bad, kind: "deliver", error: expect.stringMatching(message) }]);
      expect(await statuses()).toEqual([
        { status: "delivered", emails: 99 },
        { status: "queued", emails: 1 },
      ]);
      expect(await database.value("SELECT count(*) FROM outbox")).toBe(0);
      // The claim that fails, the same without other rows, at most eight halves, and what is left.
      expect(claims).toBeLessThanOrEqual(11);
      expect(await notices()).toBe(1);
    });

  it("is found among emails of a shared row, which is split first", async () => {
    const mails = Array.from({ length: 20 }, (_, n) => aMail(workspace, { to: [{ email: `p${n}@example.org` }] }));
    const response = await workspace.withoutQueue.post("/v1/emails/batch", mails);
    const { results } = await response.json<{ results: { id: string }[] }>();
    expect(await database.value("SELECT count(*) FROM outbox")).toBe(1);
    const bad = results[11]?.id ?? "";
    await breakEmail("recipients", bad);
    await soon();
    expect(await quarantined()).toEqual([{ id: bad, kind: "deliver", error: expect.stringMatching(/SyntaxError/) }]);
    expect(await statuses()).toEqual([
      { status: "delivered", emails: 19 },
      { status: "queued", emails: 1 },
    ]);
  });

  it("is one of several, and each is set aside", async () => {
    const ids = await acceptMany(40);
    const bad = [3, 4, 39].map((n) => ids[n] ?? "");
    for (const id of bad) await breakEmail("recipients", id);
    await soon();
    expect((await quarantined()).map(({ id }) => id)).toEqual(bad.toSorted());
    expect(await statuses()).toEqual([
      { status: "delivered", emails: 37 },
      { status: "queued", emails: 3 },
    ]);
  });

  it("has an event list near the limit of a row, and is no such email: it is delivered", async () => {
    const { id } = await workspace.withoutQueue.create("/v1/emails/", aMail(workspace, { send_at: isoIn(HOUR) }));
    const event = "json_object('id', '', 'type', 'scheduled', 'at', 1, 'note', hex(zeroblob(995000)))";
    await database.run(`UPDATE emails SET events = json_insert(events, '$[#]', ${event}) WHERE id = ?1`, [id]);
    await runAt(Date.now() + HOUR + 1_000);
    expect([await statusOf(id), await quarantined()]).toEqual(["delivered", []]);
  });
});

describe("an email that was set aside", () => {
  async function setAside() {
    const [id = ""] = await acceptMany(1);
    const recipients = await database.value<string>("SELECT recipients FROM emails WHERE id = ?1", [id]);
    await breakEmail("recipients", id);
    await soon();
    const mend = () => database.run("UPDATE emails SET recipients = ?2 WHERE id = ?1", [id, recipients]);
    return { id, mend, admin: await anOperator() };
  }

  it("makes the service degraded, and is counted by the metrics", async () => {
    const api = apiOn({ METRICS_TOKEN: TOKEN, SYSTEM_MAILBOX: workspace.mailbox }, null);
    const reasons = async () => (await api.get("/ready")).json<{ status: string; reasons: string[] }>();
    expect(await reasons()).toMatchObject({ status: "ready" });
    await setAside();
    const reason = `database ${FILE_SHARD}: outbox rows in quarantine`;
    expect(await reasons()).toMatchObject({ status: "degraded", reasons: [reason] });
    const metrics = await (await api.get("/metrics", { Authorization: `Bearer ${TOKEN}` })).text();
    expect(metrics).toContain(`email_outbox_quarantined{database="${FILE_SHARD}"} 1`);
  });

  it("is listed for operators with its error, and delivered by a retry when it was mended", async () => {
    const { id, mend, admin } = await setAside();
    const [listed] = await (await admin.get(path)).json<Record<string, unknown>[]>();
    expect(listed).toMatchObject({ id, kind: "deliver", error: expect.stringMatching(/SyntaxError/) });
    await mend();
    expect((await admin.post(`${path}/${id}/retry`, undefined)).status).toBe(204);
    await soon();
    expect(await statusOf(id)).toBe("delivered");
    expect(await quarantined()).toEqual([]);
    expect((await admin.post(`${path}/${id}/retry`, undefined)).status).toBe(404);
  });

  it("is set aside again by a retry that fails, of which the owner is not told again", async () => {
    const { id, admin } = await setAside();
    await admin.post(`${path}/${id}/retry`, undefined);
    await soon();
    expect(await quarantined()).toMatchObject([{ id }]);
    expect(await notices()).toBe(1);
  });

  it("has failed when it is dropped", async () => {
    const { id, mend, admin } = await setAside();
    expect((await admin.call("DELETE", `${path}/${id}`)).status).toBe(204);
    expect([await statusOf(id), await quarantined()]).toEqual(["failed", []]);
    await mend();
    expect((await admin.call("DELETE", `${path}/${id}`)).status).toBe(404);
  });

  it("has failed when its row, which is no JSON, is dropped", async () => {
    const [id = ""] = await acceptMany(1);
    await breakRef(id);
    await soon();
    const admin = await anOperator();
    expect((await admin.call("DELETE", `${path}/${id}`)).status).toBe(204);
    expect(await statusOf(id)).toBe("failed");
  });

  it("can be cancelled when it is scheduled", async () => {
    const api = workspace.withoutQueue;
    const { id } = await api.create("/v1/emails/", aMail(workspace, { send_at: isoIn(HOUR) }));
    await breakRef(id);
    await runAt(Date.now() + HOUR + 1_000);
    expect(await quarantined()).toMatchObject([{ id }]);
    expect((await api.call("DELETE", `/v1/emails/scheduled/${id}`)).status).toBe(200);
    expect([await statusOf(id), await quarantined()]).toEqual(["cancelled", []]);
  });
});

describe("an error that is not of the content of a row", () => {
  for (const [what, message] of [
    ["a lost connection", ERRORS.D1.lost],
    ["a missing table", "D1_ERROR: no such table: emails: SQLITE_ERROR"],
  ])
    it(`sets nothing aside: ${what}`, async () => {
      const ids = await acceptMany(3);
      await expect(runAt(Date.now() + 1_000, new Error(message))).rejects.toThrow(message);
      expect(await quarantined()).toEqual([]);
      await soon();
      for (const id of ids) expect(await statusOf(id)).toBe("delivered");
    });
});

describe("a row of another kind that cannot be read", () => {
  const copy = { workspace: 0, email: "none", mailbox: "none", draft: null };
  const notice = {
    channel: "email",
    workspace: 0,
    event: "none",
    category: "alerts",
    severity: "error",
    title: "",
    body: "",
  };
  const kinds = {
    mail: {
      broadcast: [0],
      confirm: [0],
      segment: [0],
      purge: { objects: ["none/"] },
      "sent-copy": copy,
      forward: null,
    },
    main: {
      ...{
        purge: { objects: ["none/"] },
        transfer: { withdrawn: "none" },
        notify: notice,
        import: { mailbox: "none" },
      },
      ...{ events: { workspace: 0, email: "e", at: 1, events: [] }, webhook: { workspace: 0, id: "none", events: [] } },
    },
  } as const;
  for (const [name, refs] of Object.entries(kinds))
    for (const [kind, good] of Object.entries(refs))
      it(`is set aside, and the rows around it are done: ${kind} of the ${name} database`, async () => {
        const { ctx } = recordingContext();
        const { outbox } = name === "main" ? onMain(ctx) : ctx;
        const db = name === "main" ? env.DB : mail;
        const rows = ["a", "b", "c"].map((id) => ({ id, ref: id === "b" ? "{no JSON" : JSON.stringify(good) }));
        await db.batch(
          rows
            .filter(({ ref }) => ref !== "null")
            .map(({ id, ref }) =>
              outbox.prepare("INSERT INTO outbox (id, due_at, kind, ref) VALUES (?1, 1, ?2, ?3)").bind(id, kind, ref),
            ),
        );
        await runOutboxAt(Date.now(), {}, [kind as "purge"]);
        expect(await quarantined(db)).toEqual([{ id: "b", kind, error: expect.stringMatching(/SyntaxError/) }]);
        expect((await db.prepare("SELECT id FROM outbox WHERE kind = ?1").bind(kind).all()).results).toEqual([]);
      });
});
