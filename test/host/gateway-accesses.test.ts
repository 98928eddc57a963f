/** The gateway's question whether the accesses of open connections have ended, to a Worker that a test controls. */
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WorkerMailboxes } from "../../mail-gateway/imap/worker-mailboxes.ts";
import { type MailboxAccess, OpenAccesses } from "../../mail-gateway/open-accesses.ts";
import { WorkerClient } from "../../mail-gateway/worker-client.ts";
import { ManualClock } from "./support/manual-clock.ts";

const ASK_MS = 4_000;
let clock: ManualClock;
let worker: WorkerClient;
let server: http.Server;
/** The mailboxes of each call, and those whose access has ended. Null: the Worker fails. */
let asked: string[][];
let ended: string[] | null;

beforeEach(async () => {
  clock = new ManualClock();
  asked = [];
  ended = [];
  server = http.createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { accesses = [] } = JSON.parse(body) as { accesses?: MailboxAccess[] };
    const ids = accesses.map(({ id }) => id);
    if (request.url?.endsWith("/accesses")) asked.push(ids);
    response.statusCode = ended === null ? 500 : 200;
    const indexes = [...ids.keys()].filter((n) => ended?.includes(ids[n] ?? ""));
    response.end(JSON.stringify({ reply: null, error: null, token: "a token of an earlier version", ended: indexes }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  worker = new WorkerClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "secret");
});
afterEach(() => {
  worker.close();
  server.closeAllConnections();
  server.close();
});

const accessTo = (id: string): MailboxAccess => ({ id, secret: "secret" });

/** Lets four seconds pass, until the Worker has responded. */
async function nextQuestion(): Promise<void> {
  const count = asked.length;
  await clock.advance(ASK_MS);
  await expect.poll(() => asked.length).toBeGreaterThan(count);
}

describe("open accesses", () => {
  it("are asked about every four seconds, all in one call and equal ones once", async () => {
    const accesses = new OpenAccesses(worker, clock);
    for (const id of ["a", "b", "b", "b"]) accesses.add(accessTo(id), () => {});
    const leave = accesses.add(accessTo("c"), () => {});
    await nextQuestion();
    leave();
    await nextQuestion();
    expect(asked).toEqual([
      ["a", "b", "c"],
      ["a", "b"],
    ]);
    accesses.close();
    expect(clock.timers).toBe(0);
  });

  it("that have ended close all their connections and no others; while the Worker fails none is closed", async () => {
    const accesses = new OpenAccesses(worker, clock);
    const closed: string[] = [];
    for (const name of ["a 1", "a 2", "b 1"]) accesses.add(accessTo(name.charAt(0)), () => closed.push(name));
    ended = null;
    await nextQuestion();
    expect(closed).toEqual([]);
    ended = ["a"];
    await nextQuestion();
    await expect.poll(() => closed).toEqual(["a 1", "a 2"]);
    accesses.close();
  });

  it("of one mailbox are asked about at once when the Worker tells that one may have ended", async () => {
    const accesses = new OpenAccesses(worker, clock);
    const closed: string[] = [];
    for (const id of ["a", "b"]) accesses.add(accessTo(id), () => closed.push(id));
    ended = ["a", "b"];
    accesses.ask("a");
    await expect.poll(() => closed).toEqual(["a"]);
    expect(asked).toEqual([["a"]]);
    accesses.close();
  });
});

describe("a login", () => {
  it("at a Worker of an earlier version is one to try again later", async () => {
    const mailboxes = new WorkerMailboxes(worker, new OpenAccesses(worker, clock), clock);
    const login = { username: "hello@shop.test", password: "p", ip: "192.0.2.1" };
    await expect(mailboxes.logIn(login)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});
