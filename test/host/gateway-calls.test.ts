/** Calls of the gateway to the Worker: logins, senders and messages, while the Worker grants leases. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Leases } from "../../mail-gateway/leases.ts";
import { Logins } from "../../mail-gateway/logins.ts";
import { SenderChecks } from "../../mail-gateway/sender-checks.ts";
import { SubmissionGroups } from "../../mail-gateway/submission-groups.ts";
import { WorkerClient } from "../../mail-gateway/worker-client.ts";
import { ManualClock } from "./support/manual-clock.ts";

const LEASE_MS = 500;
const SENDER = "hello@shop.test";
const login = { username: "u@shop.test", password: "p", ip: "192.0.2.1", connection: "c1" };
const stops: (() => void)[] = [];
let clock: ManualClock;

beforeEach(() => {
  clock = new ManualClock();
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** Starts a Worker that accepts everything and grants leases of this time, and returns the calls that it got. */
async function aWorker(lease_ms: number | null = LEASE_MS) {
  const calls: string[] = [];
  const responses: Record<string, (count: number) => object> = {
    sessions: (count) => ({
      answers: Array(count).fill({ reply: null, token: `token ${calls.length}`, credential: "credential", lease_ms }),
    }),
    senders: () => ({ lease_ms }),
    "submission-groups": (count) => ({
      lease_ms,
      answers: Array.from({ length: count }, (_, n) => ({ reply: null, id: `id ${n}`, repeat: null })),
    }),
  };
  const server = http.createServer(async (request, response) => {
    const name = request.url?.split("/").at(-1) ?? "";
    let body = "";
    for await (const chunk of request) body += chunk;
    calls.push(name);
    if (body.includes("hangs")) return;
    const first = JSON.parse(body.split("\n")[0] ?? "") as unknown;
    const count = Array.isArray(first)
      ? first.length
      : ((first as { connections?: unknown[] }).connections?.length ?? 1);
    response.end(JSON.stringify({ reply: null, ...responses[name]?.(count) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = new WorkerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "secret");
  stops.push(() => {
    client.close();
    server.closeAllConnections();
    server.close();
  });
  const leases = new Leases(clock);
  return {
    calls,
    logins: new Logins(client, leases, clock),
    senders: new SenderChecks(client, leases, clock),
    groups: new SubmissionGroups(client, leases, clock),
  };
}

const messageOf = (token: string, text = "text") => ({
  login: { token, credential: "credential" },
  connection: "c1",
  sequence: 0,
  envelope: { from: SENDER, to: ["a@example.org"] },
  bytes: Buffer.from(`${text}\0end`),
});

describe("an equal login", () => {
  it("gets the token of the one before while the credential has a lease, and is checked again after it", async () => {
    const { calls, logins } = await aWorker();
    const first = await logins.check(login);
    await clock.advance(LEASE_MS - 1);
    expect(await logins.check({ ...login, connection: "c2" })).toMatchObject(first);
    expect(calls).toEqual(["sessions"]);
    await clock.advance(1);
    await logins.check(login);
    expect(calls).toEqual(["sessions", "sessions"]);
  });

  it("is checked again after a minute, however often the lease was renewed", async () => {
    const { calls, logins, senders } = await aWorker();
    const first = await logins.check(login);
    for (let second = 0; second < 60; second++) {
      await clock.advance(1_000);
      await senders.check(first, SENDER);
    }
    expect((await logins.check(login)).token).not.toBe(first.token);
    expect(calls.filter((name) => name === "sessions")).toHaveLength(2);
  });

  it("with another password or username is checked", async () => {
    const { calls, logins } = await aWorker();
    await logins.check(login);
    await logins.check({ ...login, password: "q" });
    await logins.check({ ...login, username: "v@shop.test" });
    expect(calls).toEqual(["sessions", "sessions", "sessions"]);
  });

  it("is checked each time by a Worker of a version that grants no leases", async () => {
    const { calls, logins } = await aWorker(null);
    await logins.check(login);
    await logins.check(login);
    expect(calls).toEqual(["sessions", "sessions"]);
  });
});

describe("a sender", () => {
  it("is checked once in the time of a lease, which each accepted message renews", async () => {
    const { calls, senders, groups } = await aWorker();
    const session = { token: "token", credential: "credential" };
    await senders.check(session, SENDER);
    for (let n = 0; n < 5; n++) {
      await clock.advance(LEASE_MS - 1);
      await senders.check(session, SENDER);
      await groups.send(messageOf("token"));
    }
    expect(calls.filter((name) => name === "senders")).toHaveLength(1);
    await clock.advance(LEASE_MS);
    await senders.check(session, SENDER);
    expect(calls.filter((name) => name === "senders")).toHaveLength(2);
  });

  it("is checked for each address and credential", async () => {
    const { calls, senders } = await aWorker();
    await senders.check({ token: "token", credential: "credential" }, SENDER);
    await senders.check({ token: "token", credential: "credential" }, "other@shop.test");
    await senders.check({ token: "token", credential: "other" }, SENDER);
    expect(calls).toEqual(["senders", "senders", "senders"]);
  });
});

describe("a call that gets no response", () => {
  it("holds up other messages of its credential for a second, and those of others not at all", async () => {
    const { calls, groups } = await aWorker();
    groups.send(messageOf("token", "hangs")).catch(() => {});
    const later = groups.send(messageOf("token"));
    await expect.poll(() => calls.length).toBe(1);
    await clock.advance(999);
    const other = { ...messageOf("token"), login: { token: "token", credential: "other" } };
    expect(await groups.send(other)).toMatchObject({ id: "id 0" });
    expect(calls).toHaveLength(2);
    await clock.advance(1);
    expect(await later).toMatchObject({ id: "id 0" });
    expect(calls).toHaveLength(3);
  });
});
