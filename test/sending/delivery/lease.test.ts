import { afterEach, describe, expect, it, vi } from "vitest";
import { authenticateApiKey } from "../../../src/access/accounts/authenticate.ts";
import { ConnectError, type RecipientResult } from "../../../src/mail/smtp/transport.ts";
import type { MailCtx } from "../../../src/platform/context.ts";
import { asDatabase } from "../../../src/platform/db/count-rows.ts";
import { withMail } from "../../../src/platform/jobs/shards.ts";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import { sweep } from "../../../src/platform/outbox/sweep.ts";
import { deliver, type Egress, egressOf } from "../../../src/sending/delivery/index.ts";
import { SendIn } from "../../../src/sending/emails/schema.ts";
import { sendEmail } from "../../../src/sending/emails/send/send.ts";
import { ACCEPTED, egressWithoutNetwork } from "../../support/accepting-egress.ts";
import { database, mail } from "../../support/databases.ts";
import { scriptedServer } from "../../support/smtp-control.ts";
import { aMail, aWorkspace, recordingContext, type TestWorkspace, until } from "../../support/workspace.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** Returns an egress without a network: `send` gives the result of each transaction, `opens` decides whether a connection opens. */
const fakeEgress = (
  onSend: () => Promise<RecipientResult>,
  connections = 1,
  opens: () => boolean = () => true,
): Egress =>
  egressWithoutNetwork({
    ...{ onSend, connections },
    onOpen() {
      if (!opens()) throw new ConnectError("greeting", null, "too many connections");
    },
  });

async function accept(ctx: MailCtx, workspace: TestWorkspace, changes: Record<string, unknown> = {}): Promise<string> {
  const caller = { ...ctx, clientIp: null, ...(await authenticateApiKey(ctx, workspace.apiKey)) };
  return (await sendEmail(caller, SendIn.parse(aMail(workspace, changes)), "api")).id;
}

interface Row {
  status: string;
  events: string;
}

async function emailsOf(workspace: TestWorkspace): Promise<Row[]> {
  const results = await database.rows<Row>("SELECT status, events FROM emails WHERE workspace = ?1", [
    workspace.workspaceNumber,
  ]);
  return results;
}

const dueOf = (id: string) =>
  database.row<{ due_at: number; leased_until: number; claims: number; token: string | null }>(
    "SELECT due_at, leased_until, claims, token FROM outbox WHERE id = ?1",
    [id],
  );

describe("a slow egress", () => {
  it("does not fail emails that were not tried: the lease is renewed between emails", async () => {
    const workspace = await aWorkspace();
    let now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    for (let n = 0; n < 40; n++) await accept(ctx, workspace);
    let sent = 0;
    await deliver(
      ctx,
      woken.splice(0),
      fakeEgress(async () => {
        sent += 1;
        now += 40_000;
        return ACCEPTED;
      }),
    );
    expect(sent).toBe(40);
    const emails = await emailsOf(workspace);
    expect(emails.map(({ status }) => status)).toEqual(emails.map(() => "delivered"));
    expect(emails.filter(({ events }) => events.includes("possible_duplicate"))).toEqual([]);
  });

  it("renews the lease of an email in flight, so that no other run starts it", async () => {
    const workspace = await aWorkspace();
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"], now: start });
    const { ctx, woken } = recordingContext();
    const id = await accept(ctx, workspace);
    const result = Promise.withResolvers<RecipientResult>();
    let sent = 0;
    const egress = fakeEgress(() => {
      sent += 1;
      return result.promise;
    });
    const slow = deliver(ctx, woken.splice(0), egress);
    await until(
      async () => sent,
      (count) => count === 1,
    );
    const first = await dueOf(id);
    await vi.advanceTimersByTimeAsync(LEASE_MS / 2);
    const renewed = await until(
      () => dueOf(id),
      (row) => (row?.leased_until ?? 0) > (first?.leased_until ?? 0),
    );
    expect(renewed?.leased_until).toBeGreaterThan(start + LEASE_MS);
    await sweep(ctx);
    expect(woken).toEqual([]);
    result.resolve(ACCEPTED);
    await slow;
    expect((await emailsOf(workspace)).map(({ status }) => status)).toEqual(["delivered"]);
    expect(sent).toBe(1);
  });

  it("a run whose lease is over releases untried rows without counting the claim", async () => {
    const workspace = await aWorkspace();
    let now = Date.now();
    const { ctx, woken } = recordingContext({}, () => now);
    const ids = [await accept(ctx, workspace), await accept(ctx, workspace), await accept(ctx, workspace)];
    let sent = 0;
    // The clock jumps, so the first transaction outlasts the lease without a renewal.
    const jump = async () => {
      sent += 1;
      now += LEASE_MS - 1;
      return ACCEPTED;
    };
    await deliver(ctx, woken.splice(0), fakeEgress(jump));
    for (const id of ids) {
      const row = await dueOf(id);
      if (row) expect(row).toMatchObject({ claims: 0, token: null });
    }
    await sweep(ctx);
    await deliver(
      ctx,
      woken.splice(0),
      fakeEgress(async () => ACCEPTED),
    );
    expect((await emailsOf(workspace)).map(({ status }) => status)).toEqual(["delivered", "delivered", "delivered"]);
    expect(sent).toBeGreaterThan(0);
  });
});

describe("an egress that limits connections", () => {
  it("defers nothing while one connection works: a refused dispatcher leaves its emails to the others", async () => {
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext();
    for (let n = 0; n < 30; n++) await accept(ctx, workspace);
    let connections = 0;
    const three = () => ++connections <= 3;
    await deliver(
      ctx,
      woken,
      fakeEgress(async () => ACCEPTED, 4, three),
    );
    const emails = await emailsOf(workspace);
    expect(emails.map(({ status }) => status)).toEqual(emails.map(() => "delivered"));
    expect(connections).toBeGreaterThan(3);
  });
});

describe("a rescheduled row", () => {
  it("is written also when its time equals the end of the lease", async () => {
    const workspace = await aWorkspace();
    const start = Date.now();
    let now = start;
    const { ctx, woken } = recordingContext({}, () => now);
    const id = await accept(ctx, workspace);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const later: RecipientResult = { kind: "deferred", phase: "mail", reply: null, reason: "later" };
    // The next attempt is due in one minute, which is when the lease ends.
    const egress = fakeEgress(async () => {
      now = start + LEASE_MS - 60_000;
      return later;
    });
    await deliver(ctx, woken.splice(0), egress);
    vi.restoreAllMocks();
    expect(await dueOf(id)).toMatchObject({ token: null, leased_until: 0, due_at: start + LEASE_MS });
    now += 10 * 60_000;
    await sweep(ctx);
    await deliver(
      ctx,
      woken.splice(0),
      fakeEgress(async () => ACCEPTED),
    );
    expect((await emailsOf(workspace)).map(({ status }) => status)).toEqual(["delivered"]);
  });

  it("has the next_attempt_at of the events, the same for all recipients", async () => {
    const workspace = await aWorkspace();
    const server = await scriptedServer({
      transactions: Array.from({ length: 3 }, () => ({ mail: "451 4.3.0 later" })),
    });
    const { ctx, woken } = recordingContext({ EGRESS_URL: server.url });
    const id = await accept(ctx, workspace, {
      to: ["a", "b", "c"].map((local) => ({ email: `${local}@example.org` })),
    });
    await deliver(ctx, woken, egressOf(ctx.settings));
    const [email] = await emailsOf(workspace);
    const times = [...(email?.events ?? "").matchAll(/"next_attempt_at":"([^"]+)"/g)].map(([, time]) => time);
    expect(times).toHaveLength(3);
    expect(new Set(times).size).toBe(1);
    expect(Date.parse(times[0] ?? "")).toBe((await dueOf(id))?.due_at);
  });
});

describe("a flush", () => {
  it("stays below the parameter size of D1 with 50 recipients in each email", async () => {
    const workspace = await aWorkspace();
    const { ctx, woken } = recordingContext();
    const long = (n: number, k: number) =>
      `firstname.middlename.lastname-${k}@department-${n}.some-customer.example.org`;
    for (let n = 0; n < 60; n++) {
      const to = Array.from({ length: 50 }, (_, k) => ({ email: long(n, k), name: `Firstname Lastname ${k}` }));
      await accept(ctx, workspace, { to });
    }
    let largest = 0;
    const measured = new Proxy(mail, {
      get(db, name) {
        if (name !== "prepare") {
          const value: unknown = Reflect.get(db, name);
          return typeof value === "function" ? value.bind(db) : value;
        }
        return (sql: string) => {
          const statement = db.prepare(sql);
          return {
            bind(...values: unknown[]) {
              for (const value of values) if (typeof value === "string") largest = Math.max(largest, value.length);
              return statement.bind(...values);
            },
          };
        };
      },
    });
    await database.run("UPDATE users SET restricted_at = 1 WHERE id = ?1", [workspace.userId]);
    await deliver(
      withMail(ctx, asDatabase<"mail">(measured)),
      woken,
      fakeEgress(async () => ACCEPTED),
    );
    expect(largest).toBeGreaterThan(100_000);
    expect(largest).toBeLessThan(1_000_000);
    const emails = await emailsOf(workspace);
    expect(emails.map(({ status }) => status)).toEqual(emails.map(() => "failed"));
  });
});
