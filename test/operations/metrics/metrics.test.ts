import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { runSchedule } from "../../../src/cron.ts";
import { recordDeadLetters } from "../../../src/platform/outbox/dead-letters.ts";
import { findSettingIssues, reportSettingIssues } from "../../../src/platform/settings/setting-issues.ts";
import { acceptEmail } from "../../support/accept-email.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aMail, apiOn, aWorkspace, recordingContext, testContext } from "../../support/workspace.ts";

const TOKEN = "token-of-the-monitoring-0123456789ab";
const failing = { prepare: () => failing, bind: () => failing, batch: fails, all: fails, first: fails, run: fails };
async function fails() {
  throw new Error("D1_ERROR: overloaded");
}
/** A database without tables, as D1 reports it. */
const emptyDatabase = {
  ...failing,
  prepare: () => emptyDatabase,
  bind: () => emptyDatabase,
  all: lacks,
  first: lacks,
  batch: lacks,
};
async function lacks() {
  throw new Error("D1_ERROR: no such table: outbox: SQLITE_ERROR");
}

async function ready(bindings: Record<string, unknown>, headers: Record<string, string> = {}) {
  const response = await apiOn(bindings, null).get("/ready", headers);
  return { status: response.status, body: await response.json<Record<string, unknown>>() };
}
const asOperator = { Authorization: `Bearer ${TOKEN}` };

/** Values of a deployment that has replaced every placeholder. */
const production = {
  ENVIRONMENT: "production",
  PUBLIC_URL: "https://mail.shop.se",
  MX_HOST: "mx.shop.se",
  SMTP_HOST: "smtp.shop.se",
  SPF_DOMAIN: "spf.shop.se",
  BOUNCE_DOMAIN: "bounces.shop.se",
  DNS_RESOLVER_URL: "https://cloudflare-dns.com/dns-query",
  MASTER_KEYS: `1:${btoa(String.fromCharCode(...Array.from({ length: 32 }, (_, n) => n * 7)))}`,
};

describe("GET /ready", () => {
  it("returns conditions to everybody, and details with the token of the metrics only", async () => {
    const conditions = {
      ...{ status: "ready", settings: "valid", main: "answers", mail: "answers", egress: "configured" },
      ...{ system_mail: "configured", reasons: [] },
    };
    const SYSTEM_MAILBOX = (await aWorkspace()).mailbox;
    expect(await ready({ METRICS_TOKEN: TOKEN, SYSTEM_MAILBOX })).toEqual({ status: 200, body: conditions });
    const { body } = await ready({ METRICS_TOKEN: TOKEN, SYSTEM_MAILBOX }, asOperator);
    expect(body).toMatchObject({ ...conditions, details: { failing_databases: [] } });
    for (const token of ["", "wrong"]) {
      const refused = await ready({ METRICS_TOKEN: TOKEN }, { Authorization: `Bearer ${token}` });
      expect(refused.body).not.toHaveProperty("details");
    }
    expect((await ready({}, { Authorization: "Bearer " })).body).not.toHaveProperty("details");
  });

  it("names a mail database that fails and stays 200; it is 503 when main fails or no mail database responds", async () => {
    const one = await ready({ METRICS_TOKEN: TOKEN, MAIL_1: failing }, asOperator);
    expect(one).toMatchObject({ status: 200, body: { status: "degraded", details: { failing_databases: [1] } } });
    const all = await ready({ METRICS_TOKEN: TOKEN, MAIL_0: failing, MAIL_1: failing }, asOperator);
    expect(all).toMatchObject({ status: 503, body: { mail: "fails", details: { failing_databases: [0, 1] } } });
    expect(await ready({ DB: failing })).toMatchObject({ status: 503, body: { status: "not_ready", main: "fails" } });
  });

  it("tells what the mailbox of the service's own emails lacks, and stays 200: other mail leaves", async () => {
    const workspace = await aWorkspace();
    const state = async (SYSTEM_MAILBOX: string) => {
      const { status, body } = await ready({ SYSTEM_MAILBOX });
      return `${status} ${body.status} ${body.system_mail}`;
    };
    expect(await state(workspace.mailbox.toUpperCase())).toBe("200 ready configured");
    expect(await state("")).toBe("200 degraded not_configured");
    for (const text of ["hello", "Service <hello@example.com>", " hello@example.com", "a@b\r\nBcc: c@d", "a@\0b"])
      expect(await state(text), text).toBe("200 degraded malformed");
    expect(await state(`nobody@${workspace.domain}`)).toBe("200 degraded no_mailbox");
    const deactivate = "UPDATE mailboxes SET is_active = 0 WHERE address = ?1";
    await env.DB.prepare(deactivate).bind(workspace.mailbox).run();
    expect(await state(workspace.mailbox)).toBe("200 degraded no_mailbox");
    const other = await aWorkspace();
    await database.run("UPDATE domains SET status = 'pending' WHERE id = ?1", [other.domainId]);
    expect(await state(other.mailbox)).toBe("200 degraded no_mailbox");
  });

  it("tells that the egress did not respond, until the waiting emails are gone", async () => {
    const start = Date.now() + 3_600_000;
    const workspace = await aWorkspace();
    const { ctx } = recordingContext({}, () => start);
    const id = await acceptEmail(ctx, workspace);
    // No server listens on port 1.
    await runOutboxAt(start, { EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" });
    const down = await ready({ METRICS_TOKEN: TOKEN }, asOperator);
    expect(down).toMatchObject({ status: 200, body: { status: "degraded", egress: "unreachable" } });
    await ctx.outbox.prepare("DELETE FROM outbox WHERE id = ?1").bind(id).run();
    expect(await ready({ METRICS_TOKEN: TOKEN })).toMatchObject({ body: { egress: "configured" } });
  });

  it("tells everybody why it is not ready: which setting, which database, and no value", async () => {
    const reasons = async (bindings: Record<string, unknown>) =>
      (await ready({ SYSTEM_MAILBOX, ...bindings })).body.reasons;
    const SYSTEM_MAILBOX = (await aWorkspace()).mailbox;
    const missing = "migrations are not applied";
    expect(await reasons({ MASTER_KEYS: undefined })).toEqual(["MASTER_KEYS: missing"]);
    const secret = await reasons({ GATEWAY_SECRET: "hunter2" });
    expect(secret).toEqual(["GATEWAY_SECRET: GATEWAY_SECRET must have at least 32 characters"]);
    const weak = { ...production, MASTER_KEYS: `1:${btoa("\0".repeat(32))}`, MX_HOST: "mx.mail.test" };
    expect(await reasons(weak)).toEqual(["settings: placeholders of local work"]);
    expect(await reasons({ EGRESS_URL: "" })).toEqual(["EGRESS_URL: not_configured"]);
    expect(await reasons({ EGRESS_URL: "smtp://user:hunter2@" })).toEqual(["EGRESS_URL: malformed"]);
    expect(await reasons({ MAIL_1: failing })).toEqual(["database 1: does not respond"]);
    expect(await reasons({ DB: emptyDatabase, MAIL_0: emptyDatabase })).toEqual([
      `database main: ${missing}`,
      `database 0: ${missing}`,
    ]);
    expect(await reasons({ NAMED_EGRESS_URLS: "a=hunter2" })).toEqual(["a further egress: malformed"]);
    expect(await reasons({ SYSTEM_MAILBOX: "" })).toEqual(["SYSTEM_MAILBOX: not_configured"]);
  });

  it("and /health respond with every malformed secret and missing binding, and /health stays 200", async () => {
    const issues = [
      { MASTER_KEYS: "1:short" },
      { GATEWAY_SECRET: "short" },
      { RETENTION_DAYS: "x" },
      { WORK: undefined },
    ];
    for (const issue of issues) {
      const result = await ready({ ...issue, METRICS_TOKEN: TOKEN }, asOperator);
      expect(result).toMatchObject({ status: 503, body: { status: "not_ready", settings: "invalid" } });
      const { setting_issues } = result.body.details as { setting_issues: string[] };
      expect(setting_issues).toEqual([expect.stringContaining(Object.keys(issue)[0] ?? "")]);
      expect((await apiOn(issue, null).get("/health")).status).toBe(200);
    }
  });
});

it("a malformed key for complaints makes the service degraded, and says what to mend", async () => {
  const result = await ready({ CFBL_DKIM_KEY: "cfbl1:c2VjcmV0", METRICS_TOKEN: TOKEN }, asOperator);
  const issue = "CFBL_DKIM_KEY: key 1 must be the base64 of an RSA key of 2048 bits in PKCS #8";
  expect(result).toMatchObject({ status: 200, body: { status: "degraded", details: { cfbl_issues: [issue] } } });
});

describe("a malformed zone of delegated domains", () => {
  it.each([
    ["good.example=1:200 bad.example", "", "DELEGATED_ZONES: entry 2 must have the form <zone>=<zone id>:<records>"],
    [
      "bad.example good.example=1:200",
      "",
      "DELEGATED_ZONES: entry 1 must have the form <zone>=<zone id>:<records>; no zone is used, since the first one has the shared records",
    ],
    ["good.example=1:200", "without", "DNS_API_TOKEN: missing; DELEGATED_ZONES needs it"],
  ])("%s makes the service degraded, says what to mend, and stops no mail", async (zones, token, issue) => {
    const changes = { DELEGATED_ZONES: zones, ...(token === "without" ? { DNS_API_TOKEN: "" } : {}) };
    expect(await ready({ ...changes, METRICS_TOKEN: TOKEN }, asOperator)).toMatchObject({
      ...{ status: 200, body: { status: "degraded", settings: "valid", details: { zone_issues: [issue] } } },
    });
    expect((await apiOn(changes, null).get("/health")).status).toBe(200);
    const workspace = await aWorkspace();
    const response = await apiOn(changes, workspace.apiKey).post("/v1/emails/", aMail(workspace));
    expect(response.status).toBe(202);
    const { id } = await response.json<{ id: string }>();
    await runOutboxAt(Date.now(), changes);
    const email = await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>();
    expect(email.status).toBe("delivered");
  });
});

it.each(["bad.example", "no domain", "good.example.org"])(
  "SANDBOX_DOMAIN %s outside of the zones makes the service degraded, and says what to mend",
  async (SANDBOX_DOMAIN) => {
    const changes = { DELEGATED_ZONES: "good.example=1:200", SANDBOX_DOMAIN, METRICS_TOKEN: TOKEN };
    const issue = "SANDBOX_DOMAIN: must be a domain name in a zone of DELEGATED_ZONES";
    expect(await ready(changes, asOperator)).toMatchObject({
      body: { status: "degraded", settings: "valid", details: { zone_issues: [issue] } },
    });
    const { body } = await ready({ ...changes, SANDBOX_DOMAIN: "Try.Good.Example." }, asOperator);
    expect(body).toMatchObject({ details: { zone_issues: [] } });
  },
);

describe("the check of the settings", () => {
  const issuesOf = (changes: Record<string, unknown>) => findSettingIssues({ ...env, ...production, ...changes });

  it("finds nothing in a complete deployment, nor in placeholders of local work", () => {
    expect(issuesOf({})).toEqual([]);
    expect(findSettingIssues(env)).toEqual([]);
  });

  it.each([
    ["PUBLIC_URL", "http://127.0.0.1:8787"],
    ["PUBLIC_URL", "http://mail.shop.se"],
    ["PUBLIC_URL", "https://localhost"],
    ["PUBLIC_URL", "https://mail.example.com"],
    ["MX_HOST", "mx.mail.test"],
    ["SMTP_HOST", "smtp.mail.test"],
    ["IMAP_HOST", "imap.mail.test"],
    ["SPF_DOMAIN", "spf.mail.test."],
    ["BOUNCE_DOMAIN", ""],
    ["DNS_RESOLVER_URL", "http://127.0.0.1:8790/dns-query"],
    ["MASTER_KEYS", `1:${btoa("\0".repeat(32))}`],
  ])("finds the placeholder of %s in production: %s", (name, value) => {
    expect(issuesOf({ [name]: value })).toEqual([`${name}: a placeholder; set the value of this deployment`]);
    expect(issuesOf({ [name]: value, ENVIRONMENT: "staging" })).toHaveLength(1);
    expect(issuesOf({ [name]: value, ENVIRONMENT: "local" })).toEqual([]);
  });

  it("logs one line for an isolate, which names every issue and no value", () => {
    const lines: string[] = [];
    const broken = { ...env, ...production, MX_HOST: "mx.mail.test", GATEWAY_SECRET: "hunter2", HITS: undefined };
    for (let n = 0; n < 3; n++) reportSettingIssues(broken, (line) => lines.push(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\{"level":"error","event":"settings.invalid"/);
    for (const name of ["GATEWAY_SECRET", "HITS"]) expect(lines[0]).toContain(name);
    expect(lines[0]).not.toContain("hunter2");
  });

  it("holds the mail of a deployment with a placeholder, and sends it once the placeholder is gone", async () => {
    const start = Date.now() + 7_200_000;
    const workspace = await aWorkspace();
    const { ctx } = recordingContext({}, () => start);
    const id = await acceptEmail(ctx, workspace);
    await runOutboxAt(start, {
      ...production,
      MASTER_KEYS: (env as unknown as { MASTER_KEYS: string }).MASTER_KEYS,
      MX_HOST: "mx.mail.test",
    });
    const status = async () => (await (await workspace.get(`/v1/emails/${id}`)).json<{ status: string }>()).status;
    expect(await status()).toBe("queued");
    await runOutboxAt(start + 11 * 60_000, {});
    expect(["sent", "delivered"]).toContain(await status());
  });
});

describe("GET /metrics", () => {
  const read = async (bindings: Record<string, unknown> = {}) =>
    (await apiOn({ METRICS_TOKEN: TOKEN, ...bindings }, null).get("/metrics", asOperator)).text();

  it("is unknown without a token, and refuses a wrong one", async () => {
    expect((await apiOn({}, null).get("/metrics", asOperator)).status).toBe(404);
    const wrong = await apiOn({ METRICS_TOKEN: TOKEN }, null).get("/metrics", { Authorization: "Bearer x" });
    expect(wrong.status).toBe(401);
  });

  it("has depth and age of the outbox by kind, dead letters, and the last run of cron", async () => {
    const ctx = testContext();
    const due = ctx.outbox.prepare(
      "INSERT INTO outbox (due_at, id, kind, ref, claims) VALUES (?1, ?2, 'purge', '{}', ?3)",
    );
    await ctx.outbox.batch([due.bind(Date.now() - 90_000, "m-1", 0), due.bind(Date.now() - 60_000, "m-2", 2)]);
    await recordDeadLetters(ctx, "work-dead", [{ id: "metrics-1", body: "{}" }]);
    const startedAt = Date.now();
    await runSchedule({ cron: "17 * * * *", scheduledTime: startedAt, noRetry() {} }, env);
    const text = await read();
    const figureOf = (sample: string) => {
      const line = text.split("\n").find((one) => one.startsWith(`${sample} `));
      return Number(line?.slice(sample.length));
    };
    const labels = `{database="${ctx.shard}",kind="purge"}`;
    expect(figureOf(`email_outbox_due${labels}`)).toBe(2);
    expect(figureOf(`email_outbox_retried${labels}`)).toBe(1);
    expect(Math.round(figureOf(`email_outbox_oldest_seconds${labels}`) / 10)).toBe(9);
    expect(figureOf('email_dead_letters{queue="work-dead"}')).toBeGreaterThanOrEqual(1);
    expect(figureOf('email_cron_last_run_timestamp_seconds{schedule="17 * * * *"}') * 1000).toBeGreaterThanOrEqual(
      startedAt,
    );
    expect(figureOf('email_database_up{database="main"}')).toBe(1);
    await ctx.outbox.prepare("DELETE FROM outbox WHERE id IN ('m-1', 'm-2')").run();
  });

  it("has recipients by outcome in the last hour that ended, and the webhook deliveries that wait", async () => {
    const { outbox, shard } = testContext();
    const workspace = await aWorkspace();
    const hour = 600_000;
    const closed = outbox.prepare(
      "INSERT INTO rollups_closed (id, hour) VALUES (1, ?1) ON CONFLICT DO UPDATE SET hour = ?1",
    );
    const total = outbox.prepare(
      "INSERT INTO rollups_totals (workspace, hour, sent, bounced, deferred) VALUES (?1, ?2, ?3, 3, 5)",
    );
    const endpoint = outbox.prepare(
      "INSERT INTO webhook_endpoints (id, workspace, version, events, due_at, pending, retrying) VALUES (?1, ?2, 1, '[]', ?3, 4, 2)",
    );
    const number = workspace.workspaceNumber;
    await outbox.batch([
      outbox
        .prepare("INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'open') ON CONFLICT DO NOTHING")
        .bind(number, workspace.workspaceId),
      total.bind(number, hour, 100),
      total.bind(number, hour - 1, 7_000),
      closed.bind(hour),
      endpoint.bind("e-1", number, Date.now() - 90_000),
      endpoint.bind("e-2", number, null),
      outbox
        .prepare("INSERT INTO rate_snapshots (at, first, counts, last_hour) VALUES (?1, 1, '{}', ?2)")
        .bind(Date.now() - 60_000, JSON.stringify({ sent: 200, bounced: 12, softBounced: 4, complained: 1 })),
    ]);
    await run("UPDATE workspaces SET bulk_pause = 1, bulk_paused_at = 1 WHERE number = ?1", number);
    const text = await read();
    const figureOf = (sample: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(sample))
          ?.slice(sample.length),
      );
    const outcome = (name: string) => figureOf(`email_recipients_last_hour{database="${shard}",outcome="${name}"} `);
    expect([outcome("sent"), outcome("bounced"), outcome("deferred"), outcome("complained")]).toEqual([100, 3, 5, 0]);
    const recent = (name: string) =>
      figureOf(`email_recipients_last_60_minutes{database="${shard}",outcome="${name}"} `);
    expect(["sent", "bounced", "soft_bounced", "complained"].map(recent)).toEqual([200, 12, 4, 1]);
    expect(figureOf("email_workspaces_stopped ")).toBeGreaterThanOrEqual(1);
    expect(figureOf(`email_webhook_deliveries_waiting{database="${shard}"} `)).toBe(6);
    expect(Math.round(figureOf(`email_webhook_oldest_seconds{database="${shard}"} `) / 10)).toBe(9);
    await outbox.prepare("DELETE FROM webhook_endpoints WHERE id IN ('e-1', 'e-2')").run();
  });

  it("responds while a database fails, and says which", async () => {
    const text = await read({ MAIL_1: failing });
    expect(text).toContain('email_database_up{database="1"} 0');
    expect(text).toContain('email_database_up{database="0"} 1');
  });
});
