import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/platform/create-context.ts";
import { addMetrics } from "../../../src/platform/daily-metrics/counters.ts";
import { saveMetrics } from "../../../src/platform/daily-metrics/save.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { countingDb } from "../../support/counting-db.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import { aMail, apiOn, aWorkspace, discardingQueue, recordingContext, testContext } from "../../support/workspace.ts";

const TOKEN = "token-of-the-monitoring-0123456789ab";

/** Reads the samples of /metrics whose names end with `_today`, by sample. */
async function readToday(bindings: Record<string, unknown> = {}): Promise<Record<string, number>> {
  const response = await apiOn({ METRICS_TOKEN: TOKEN, ...bindings }, null).get("/metrics", {
    Authorization: `Bearer ${TOKEN}`,
  });
  const samples = (await response.text()).split("\n").filter((line) => /^\w+_today[ {]/.test(line));
  return Object.fromEntries(samples.map((line) => line.split(" ")).map(([name, value]) => [name, Number(value)]));
}

/** Returns what `act` added to the figures of today, without those that it did not change. */
async function added(act: () => Promise<void>): Promise<Record<string, number>> {
  const before = await readToday();
  await act();
  const after = await readToday();
  const changes = Object.entries(after).map(([name, value]) => [name, value - (before[name] ?? 0)] as const);
  return Object.fromEntries(changes.filter(([name, value]) => value !== 0 && !name.startsWith("email_d1_")));
}

describe("the figures of today", () => {
  it("count each deferred recipient by the reason of the reply", async () => {
    const replies = {
      "grey@x.test": "451 4.7.1 greylisted",
      "full@x.test": "452 4.2.2 mailbox full",
      "full2@x.test": "452 4.2.2 mailbox full",
      "busy@x.test": "450 busy",
      "odd@x.test": "450 4.0.0 something",
    };
    const server = await scriptedServer({ recipients: replies });
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    const addresses = [...Object.keys(replies), "deferred@simulator.test", "fine@x.test"];
    await acceptEmail(ctx, workspace, { to: addresses.map((email) => ({ email })) });
    const counts = await added(() => deliver(ctx, woken.splice(0), egressOf(ctx.settings)));
    expect(counts).toEqual({
      'email_deferrals_today{reason="policy"}': 1,
      'email_deferrals_today{reason="mailbox"}': 2,
      'email_deferrals_today{reason="reply"}': 2,
      'email_deferrals_today{reason="system"}': 1,
      email_delivery_runs_today: 1,
      email_claims_today: 1,
      email_claimed_rows_today: 1,
      email_claimed_emails_today: 1,
    });
  });

  it("tell a broken connection, an egress that cannot be reached and a missing one apart", async () => {
    const server = await scriptedServer({ transactions: [{ dot: { drop: true } }] });
    const workspace = await aWorkspace();
    const egresses = { no_reply: server.url, egress_unreachable: "smtp://127.0.0.1:1/?tls=off", no_egress: "" };
    for (const [reason, EGRESS_URL] of Object.entries(egresses)) {
      const { ctx, woken } = recordingContext({ EGRESS_URL });
      await acceptEmail(ctx, workspace);
      const counts = await added(() => deliver(ctx, woken.splice(0), egressOf(ctx.settings)));
      expect(counts).toMatchObject({ [`email_deferrals_today{reason="${reason}"}`]: 1, email_claims_today: 1 });
    }
  });

  it("count claims with their rows and emails, and a run once", async () => {
    const server = await scriptedServer({});
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    for (let n = 0; n < 3; n++) await acceptEmail(ctx, workspace);
    const [first, ...others] = woken.splice(0);
    if (!first) throw new Error("nothing was accepted");
    // A claim takes the other due rows too, so the second run finds none.
    const counts = await added(async () => {
      await deliver(ctx, [first], egressOf(ctx.settings));
      await deliver(ctx, others, egressOf(ctx.settings));
    });
    expect(counts).toEqual({
      email_delivery_runs_today: 1,
      email_claims_today: 1,
      email_claimed_rows_today: 3,
      email_claimed_emails_today: 3,
    });
  });

  it("count every row that requests and deliveries write, by kind of database", async () => {
    const { bindings, trips } = countingDb();
    const written = (kind: "main" | "mail") =>
      trips
        .filter(({ statements }) => statements.every(({ binding }) => (binding === "DB") === (kind === "main")))
        .reduce((sum, { rowsWritten }) => sum + (rowsWritten ?? 0), 0);
    const server = await scriptedServer({});
    const workspace = await aWorkspace();
    const api = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
    const { ctx, woken } = recordingContext({ ...bindings, EGRESS_URL: server.url });

    const earlier = { main: written("main"), mail: written("mail") };
    const before = await readToday(bindings);
    expect((await api.post("/v1/emails/", aMail(workspace))).status).toBe(202);
    expect((await api.post("/v1/templates/", { name: "Hello", subject: "Hello" })).status).toBe(201);
    await acceptEmail(ctx, workspace);
    await deliver(ctx, woken.splice(0), egressOf(ctx.settings));
    const now = { main: written("main"), mail: written("mail") };
    const after = await readToday(bindings);
    expect(now.main).toBeGreaterThan(earlier.main);
    expect(now.mail).toBeGreaterThan(earlier.mail + 10);
    for (const kind of ["main", "mail"] as const) {
      const sample = `email_d1_rows_written_today{kind="${kind}"}`;
      expect((after[sample] ?? 0) - (before[sample] ?? 0), kind).toBe(now[kind] - earlier[kind]);
    }
  });

  it("are stored at most once a minute, and kept for the next time when that fails", async () => {
    let now = Date.now();
    const { bindings, trips } = countingDb();
    const ctx = createContext({ ...testContext().env, ...bindings } as unknown as Env, "test", () => now);
    const failing = { ...ctx, db: { ...ctx.db, execute: () => Promise.reject(new Error("no such table")) } };
    const logged: string[] = [];
    const before = await readToday();
    addMetrics(ctx, { claims: 5 });
    await saveMetrics({ ...failing, log: (event) => logged.push(event) });
    expect(logged).toEqual(["figures.not-saved"]);
    now += 59_000;
    await saveMetrics(ctx);
    expect((await readToday()).email_claims_today).toBe(before.email_claims_today);
    now += 1_000;
    addMetrics(ctx, { claims: 2 });
    await saveMetrics(ctx);
    expect((await readToday()).email_claims_today).toBe((before.email_claims_today ?? 0) + 7);
    expect(trips.filter(({ statements }) => statements[0]?.sql.includes("daily_figures"))).toHaveLength(1);
  });
});
