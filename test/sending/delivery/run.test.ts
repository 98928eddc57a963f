import { describe, expect, it } from "vitest";
import type { MailCtx, WakeUp } from "../../../src/platform/context.ts";
import { deliver, egressOf } from "../../../src/sending/delivery/index.ts";
import { database } from "../../support/databases.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import type { Script } from "../../support/smtp-script.ts";
import { aMail, aWorkspace, recordingContext, type TestWorkspace } from "../../support/workspace.ts";

const deadlines = { connectMs: 1000, replyMs: 300, finalDotMs: 300, quitMs: 100 };

/** Accepts `count` emails without the queue, then delivers them to a server that follows `script`. */
async function sendAndDeliver(
  script: Script,
  changes: Record<string, unknown> = {},
  count = 1,
  smtp: Parameters<typeof egressOf>[1] = deadlines,
) {
  const server = await scriptedServer(script);
  const workspace = await aWorkspace();
  const now = Date.now();
  const { ctx, woken } = recordingContext({ EGRESS_URL: server.url }, () => now);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(await accept(ctx, workspace, changes));
  await deliver(ctx, woken.splice(0), egressOf(ctx.settings, smtp));
  return { server, workspace, ctx, woken, ids, id: ids[0] ?? "" };
}

async function accept(ctx: MailCtx, workspace: TestWorkspace, changes: Record<string, unknown>): Promise<string> {
  const { sendEmail } = await import("../../../src/sending/emails/send/send.ts");
  const { SendIn } = await import("../../../src/sending/emails/schema.ts");
  const caller = await callerOf(ctx, workspace);
  return (await sendEmail(caller, SendIn.parse(aMail(workspace, changes)), "api")).id;
}

async function callerOf(ctx: MailCtx, workspace: TestWorkspace) {
  const { authenticateApiKey } = await import("../../../src/access/accounts/authenticate.ts");
  return { ...ctx, clientIp: null, ...(await authenticateApiKey(ctx, workspace.apiKey)) };
}

interface Detail {
  status: string;
  sent_at: string | null;
  delivered_at: string | null;
  events: { event_type: string; metadata: Record<string, unknown> | null }[];
}

async function detail(workspace: TestWorkspace, id: string): Promise<Detail> {
  return (await workspace.get(`/v1/emails/${id}`)).json<Detail>();
}

async function outboxOf(_ctx: MailCtx, id: string): Promise<(WakeUp & { claims: number })[]> {
  const results = await database.rows<WakeUp & { claims: number }>(
    "SELECT due_at AS dueAt, id, kind, claims FROM outbox WHERE id = ?1",
    [id],
  );
  return results;
}

describe("the replies of the egress decide the outcome", () => {
  it("2xx after the final dot: delivered, and the outbox row is deleted", async () => {
    const { workspace, ctx, id, server } = await sendAndDeliver({});
    const email = await detail(workspace, id);
    expect(email.status).toBe("delivered");
    expect(email.events.map(({ event_type }) => event_type)).toEqual(["queued", "delivered"]);
    expect(email.events[1]?.metadata).toMatchObject({
      recipient: "friend@example.org",
      relay: "127.0.0.1",
      attempt: 1,
    });
    expect(email.sent_at).not.toBeNull();
    expect(await outboxOf(ctx, id)).toEqual([]);
    expect(await server.messages()).toHaveLength(1);
  });

  it("5xx to one recipient bounces that recipient; the others get the email", async () => {
    const { workspace, id } = await sendAndDeliver(
      { recipients: { "gone@example.org": "550 5.1.1 no such user" } },
      { to: [{ email: "friend@example.org" }, { email: "gone@example.org" }] },
    );
    const email = await detail(workspace, id);
    expect(email.status).toBe("bounced");
    const outcomes = email.events.slice(1).map(({ event_type, metadata }) => [event_type, metadata?.recipient]);
    expect(outcomes).toEqual([
      ["delivered", "friend@example.org"],
      ["bounced", "gone@example.org"],
    ]);
    expect(email.events[2]?.metadata).toMatchObject({ dsn: "5.1.1", response: "550 5.1.1 no such user" });
  });

  it("5xx after the final dot: rejected", async () => {
    const { workspace, id } = await sendAndDeliver({ transactions: [{ dot: "554 5.7.1 spam" }] });
    expect((await detail(workspace, id)).status).toBe("rejected");
  });

  it("4xx: the email stays queued and is due in a minute", async () => {
    const { workspace, ctx, id } = await sendAndDeliver({ transactions: [{ dot: "451 4.3.0 later" }] });
    const email = await detail(workspace, id);
    expect(email.status).toBe("queued");
    expect(email.events[1]).toMatchObject({ event_type: "deferred", metadata: { dsn: "4.3.0", attempt: 1 } });
    const [row] = await outboxOf(ctx, id);
    const wait = (row?.dueAt ?? 0) - ctx.now();
    expect(wait).toBeGreaterThan(50_000);
    expect(wait).toBeLessThan(64_000);
  });

  it("a connection that breaks after the final dot: deferred, and the event has ambiguous", async () => {
    const { workspace, id } = await sendAndDeliver({ transactions: [{ dot: { drop: true } }] });
    const email = await detail(workspace, id);
    expect(email.status).toBe("queued");
    expect(email.events[1]).toMatchObject({
      event_type: "deferred",
      metadata: { ambiguous: true, phase: "final-dot" },
    });
  });

  it("an egress that cannot be reached: deferred", async () => {
    const workspace = await aWorkspace();
    // No server listens on port 1; a port closed a moment ago may be in use again.
    const { ctx, woken } = recordingContext({ EGRESS_URL: "smtp://127.0.0.1:1/?tls=off" });
    const ids = [await accept(ctx, workspace, {}), await accept(ctx, workspace, {})];
    await deliver(ctx, woken, egressOf(ctx.settings, deadlines));
    for (const id of ids) {
      const email = await detail(workspace, id);
      expect(email.status).toBe("queued");
      expect(email.events[1]).toMatchObject({ event_type: "deferred", metadata: { phase: "connect" } });
    }
  });
});

describe("attempts", () => {
  it("an attempt goes to the deferred recipients only, and the email takes the worst status", async () => {
    const { workspace, ctx, id, server } = await sendAndDeliver(
      { transactions: [{}, { rcpt: ["450 4.2.2 full"] }, {}] },
      { to: [{ email: "one@example.org" }, { email: "two@example.org" }] },
    );
    expect((await detail(workspace, id)).status).toBe("queued");
    await deliver(ctx, await outboxOf(ctx, id), egressOf(ctx.settings, deadlines));
    expect((await detail(workspace, id)).status).toBe("delivered");
    const [, second] = await server.messages();
    expect(second?.rcpts).toHaveLength(1);
    expect(second?.rcpts[0]).toContain("two@example.org");
  });

  it("after the eighth failed attempt the email is failed and its outbox row is deleted", async () => {
    const defers = Array.from({ length: 8 }, () => ({ dot: "451 4.3.0 later" }));
    const { workspace, ctx, id } = await sendAndDeliver({ transactions: defers });
    const waits: number[] = [];
    for (let attempt = 2; attempt <= 8; attempt++) {
      const rows = await outboxOf(ctx, id);
      waits.push(Math.round(((rows[0]?.dueAt ?? 0) - ctx.now()) / 60_000));
      await deliver(ctx, rows, egressOf(ctx.settings, deadlines));
    }
    const email = await detail(workspace, id);
    expect(email.status).toBe("failed");
    expect(email.events.map(({ event_type }) => event_type)).toEqual([
      "queued",
      ...Array.from({ length: 7 }, () => "deferred"),
      "failed",
    ]);
    expect(await outboxOf(ctx, id)).toEqual([]);
    for (const [index, minutes] of [1, 5, 30, 120, 360, 720, 1620].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(Math.floor(minutes * 0.95));
      expect(waits[index]).toBeLessThanOrEqual(Math.ceil(minutes * 1.05));
    }
  });

  it("an email whose run was interrupted is sent again with possible_duplicate", async () => {
    const server = await sinkServer();
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    const id = await accept(ctx, workspace, {});
    await database.run("UPDATE outbox SET claims = 1 WHERE id = ?1", [id]);
    await deliver(ctx, woken, egressOf(ctx.settings, deadlines));
    const email = await detail(workspace, id);
    expect(email.events[1]).toMatchObject({ event_type: "delivered", metadata: { possible_duplicate: true } });
  });

  it("an email fails after eight interrupted runs", async () => {
    const server = await sinkServer();
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    const id = await accept(ctx, workspace, {});
    await database.run("UPDATE outbox SET claims = 8 WHERE id = ?1", [id]);
    await deliver(ctx, woken, egressOf(ctx.settings, deadlines));
    expect((await detail(workspace, id)).status).toBe("failed");
    expect(await server.messages()).toEqual([]);
  });
});

describe("what changed before the claim counts: the sender and the recipients are checked again", () => {
  const changes: [string, string, string, string][] = [
    ["a mailbox switched off", "UPDATE mailboxes SET is_active = 0 WHERE workspace = ?1", "failed", "failed"],
    ["a domain no longer verified", "UPDATE domains SET status = 'failed' WHERE workspace = ?1", "failed", "failed"],
    [
      "a domain that moved to another workspace",
      "UPDATE domains SET workspace = (SELECT max(number) FROM workspaces) WHERE workspace = ?1",
      "failed",
      "failed",
    ],
    [
      "a restricted account",
      "UPDATE users SET restricted_at = 1 WHERE id = (SELECT user_id FROM memberships WHERE workspace = ?1)",
      "failed",
      "failed",
    ],
    [
      "a recipient suppressed after accept",
      "INSERT INTO suppressions (workspace, email, reason, created_at) VALUES (?1, 'friend@example.org', 'bounce', 1)",
      "rejected",
      "suppressed",
    ],
  ];
  for (const [what, sql, status, event] of changes) {
    it(`${what}: nothing is sent, status ${status}`, async () => {
      const server = await sinkServer();
      const workspace = await aWorkspace();
      await aWorkspace();
      const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
      const id = await accept(ctx, workspace, {});
      await database.prepare(sql).bind(workspace.workspaceNumber).run();
      await deliver(ctx, woken, egressOf(ctx.settings, deadlines));
      const email = await detail(workspace, id);
      expect(email.status).toBe(status);
      expect(email.events.at(-1)?.event_type).toBe(event);
      expect(await server.messages()).toEqual([]);
      expect(await outboxOf(ctx, id)).toEqual([]);
    });
  }

  it("a paused workspace's email is checked again in ten minutes and sent after the pause", async () => {
    const server = await sinkServer();
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    const id = await accept(ctx, workspace, {});
    const pause = (at: number | null) =>
      database.run("UPDATE workspaces SET sending_paused_at = ?1 WHERE number = ?2", [at, workspace.workspaceNumber]);
    await pause(1);
    await deliver(ctx, woken, egressOf(ctx.settings, deadlines));
    const [row] = await outboxOf(ctx, id);
    expect((row?.dueAt ?? 0) - ctx.now()).toBeGreaterThan(9 * 60_000);
    expect((await detail(workspace, id)).status).toBe("queued");
    await pause(null);
    await deliver(ctx, row ? [row] : [], egressOf(ctx.settings, deadlines));
    expect((await detail(workspace, id)).status).toBe("delivered");
  });
});

describe("simulator", () => {
  const outcomes: [string, string, string[]][] = [
    ["delivered", "delivered", ["queued", "delivered"]],
    ["bounced+label", "bounced", ["queued", "bounced"]],
    ["deferred", "queued", ["queued", "deferred"]],
    ["complained", "delivered", ["queued", "delivered", "complained"]],
    ["suppressed", "rejected", ["queued", "suppressed"]],
  ];
  for (const [local, status, events] of outcomes) {
    it(`${local}@ has status ${status} without a connection to the egress`, async () => {
      const to = [{ email: `${local}@simulator.test` }];
      const { workspace, id, server } = await sendAndDeliver({}, { to });
      const email = await detail(workspace, id);
      expect(email.status).toBe(status);
      expect(email.events.map(({ event_type }) => event_type)).toEqual(events);
      expect((await server.counters()).connections).toBe(0);
    });
  }

  it("an email to simulated and real recipients goes to the real ones only", async () => {
    const to = [{ email: "bounced@simulator.test" }, { email: "friend@example.org" }];
    const { workspace, id, server } = await sendAndDeliver({}, { to });
    expect((await detail(workspace, id)).status).toBe("bounced");
    const [message] = await server.messages();
    expect(message?.rcpts).toHaveLength(1);
    expect(message?.rcpts[0]).toContain("friend@example.org");
  });
});

describe("many emails", () => {
  it("a hundred emails are sent over at most four connections, each once", async () => {
    // With the deadlines of a deployment: when a busy machine replies later than 300 ms, a connection is replaced.
    const { workspace, server, ids } = await sendAndDeliver({}, {}, 100, {});
    const { accepted, connections } = await server.counters();
    expect(accepted).toBe(100);
    expect(connections).toBeLessThanOrEqual(4);
    for (const id of [ids[0], ids[50], ids[99]]) expect((await detail(workspace, id ?? "")).status).toBe("delivered");
    const messages = await server.messages();
    const seen = new Set(messages.map(({ raw }) => /Message-ID: (\S+)/i.exec(new TextDecoder().decode(raw))?.[1]));
    expect(seen.size).toBe(100);
  });

  it("a due scheduled email is sent; one cancelled before its time is not", async () => {
    const server = await sinkServer();
    const workspace = await aWorkspace();
    let now = Date.now();
    const { ctx } = recordingContext({ EGRESS_URL: server.url }, () => now);
    const send_at = new Date(now + 3_600_000).toISOString();
    const due = await accept(ctx, workspace, { send_at, subject: "due" });
    const cancelled = await accept(ctx, workspace, { send_at, subject: "cancelled" });
    await database.run("UPDATE emails SET status = 'cancelled' WHERE id = ?1", [cancelled]);
    now += 3_600_000;
    const rows = [...(await outboxOf(ctx, due)), ...(await outboxOf(ctx, cancelled))];
    // A claim takes other due rows along: the emails that earlier tests left deferred.
    await database.run("DELETE FROM outbox WHERE id NOT IN (?1, ?2)", [due, cancelled]);
    await deliver(ctx, rows, egressOf(ctx.settings, deadlines));
    expect((await detail(workspace, due)).events.map(({ event_type }) => event_type)).toEqual([
      "scheduled",
      "queued",
      "delivered",
    ]);
    expect((await detail(workspace, cancelled)).status).toBe("cancelled");
    expect(await server.messages()).toHaveLength(1);
    expect(await outboxOf(ctx, cancelled)).toEqual([]);
  });
});

describe("suppression", () => {
  const replies: [string, string | null][] = [
    ["550 5.1.1 no such user", "bounce"],
    ["550 no such user", "bounce"],
    ["550 5.7.1 blocked by policy", null],
    ["552 5.2.2 mailbox full", null],
    ["550 rejected", null],
    ["550 5.1.1 192.0.2.1 is listed at zen.example", null],
    ["550 5.1.2 no such domain", null],
  ];
  for (const [reply, reason] of replies) {
    it(`"${reply}" ${reason ? "suppresses the recipient" : "does not suppress the recipient"}`, async () => {
      const { workspace } = await sendAndDeliver({ recipients: { "friend@example.org": reply } });
      const row = await database.row<{ reason: string }>(
        "SELECT reason FROM suppressions WHERE workspace = ?1 AND email = 'friend@example.org'",
        [workspace.workspaceNumber],
      );
      expect(row?.reason ?? null).toBe(reason);
    });
  }

  it("a simulated bounce does not suppress the recipient", async () => {
    const { workspace } = await sendAndDeliver({}, { to: [{ email: "bounced@simulator.test" }] });
    const row = await database.row<{ n: number }>("SELECT count(*) AS n FROM suppressions WHERE workspace = ?1", [
      workspace.workspaceNumber,
    ]);
    expect(row?.n).toBe(0);
  });
});

describe("roll-ups", () => {
  it("count each recipient under its domain and each email once, in the row of its first domain", async () => {
    const to = ["a@one.example", "b@one.example", "c@two.example"].map((email) => ({ email }));
    const { workspace } = await sendAndDeliver({ recipients: { "b@one.example": "550 5.1.1 gone" } }, { to }, 2);
    const results = await database.rows(
      `SELECT domain, sent, delivered, bounced, failed, emails_sent, emails_delivered, emails_bounced, emails_failed
          FROM rollups_hourly WHERE workspace = ?1 ORDER BY domain`,
      [workspace.workspaceNumber],
    );
    expect(results).toEqual([
      {
        ...{ domain: "one.example", sent: 2, delivered: 2, bounced: 2, failed: 0 },
        ...{ emails_sent: 2, emails_delivered: 0, emails_bounced: 2, emails_failed: 0 },
      },
      {
        ...{ domain: "two.example", sent: 2, delivered: 2, bounced: 0, failed: 0 },
        ...{ emails_sent: 0, emails_delivered: 0, emails_bounced: 0, emails_failed: 0 },
      },
    ]);
  });
});
