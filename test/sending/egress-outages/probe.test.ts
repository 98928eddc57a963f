import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { readReadiness } from "../../../src/operations/metrics/readiness.ts";
import { recordResponse } from "../../../src/sending/egress-outages/index.ts";
import { probeEgress } from "../../../src/sending/egress-outages/watch-egress.ts";
import { closedPort, receivedIds } from "../../support/closed-port.ts";
import { scriptedServer, sinkServer } from "../../support/smtp-control.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { Deployment, forgetOutages, insertWaiting, MINUTE, mailDatabases, SECOND, waitingRows } from "./support.ts";

/** When cron probes the egress, and what a probe does (docs/contract/delivery.md#outages). */

const [MAIL_0, MAIL_1] = mailDatabases;
const DAY = 24 * 60 * MINUTE;

beforeEach(async () => {
  await forgetOutages();
  vi.spyOn(Math, "random").mockReturnValue(0);
});

/** A deployment at the begin of a minute. */
const deploymentOf = (EGRESS_URL: string, groupSize?: number) =>
  new Deployment(Math.ceil(Date.now() / MINUTE) * MINUTE, { EGRESS_URL }, groupSize);

describe("a probe", () => {
  it("greets, signs in and leaves: it sends no MAIL", async () => {
    const server = await scriptedServer({ capabilities: ["AUTH PLAIN"] });
    const EGRESS_URL = `smtp://user:secret@127.0.0.1:${server.port}/?tls=off`;
    expect(await probeEgress(testContext({ EGRESS_URL }))).toBe(true);
    expect((await server.commands()).map((line) => line.split(" ")[0])).toEqual(["EHLO", "AUTH", "QUIT"]);
  });

  it("is made each minute while emails wait, and none while nothing waits", async () => {
    const server = await scriptedServer({ greeting: "421 4.3.2 busy" });
    const deployment = deploymentOf(server.url);
    await deployment.run(deployment.now + 5 * MINUTE);
    expect(await server.counters()).toMatchObject({ connections: 0 });
    await insertWaiting(MAIL_1, 1, deployment.now + DAY);
    await deployment.run(deployment.now + 5 * MINUTE);
    expect(await server.counters()).toMatchObject({ connections: 5 });
    await MAIL_1.prepare("DELETE FROM outbox").run();
    await deployment.run(deployment.now + 5 * MINUTE);
    expect(await server.counters()).toMatchObject({ connections: 5 });
  });

  it.each([
    ["one invocation", 32],
    ["an invocation for each mail database", 1],
  ])("is one for all databases and for cron runs that meet, swept by %s", async (_, groupSize) => {
    const server = await scriptedServer({ greeting: "421 4.3.2 busy" });
    const deployment = deploymentOf(server.url, groupSize);
    for (const db of mailDatabases) await insertWaiting(db, 1, deployment.now + DAY);
    await Promise.all([deployment.cron(), deployment.cron(), deployment.cron()]);
    expect(await server.counters()).toMatchObject({ connections: 1 });
  });

  it("whose AUTH fails releases nothing", async () => {
    const server = await scriptedServer({ capabilities: ["AUTH PLAIN"], auth: ["535 5.7.8 no"] });
    const deployment = deploymentOf(`smtp://user:secret@127.0.0.1:${server.port}/?tls=off`);
    await insertWaiting(MAIL_0, 3, deployment.now + DAY);
    await deployment.run(deployment.now + 5 * MINUTE);
    expect((await server.counters()).connections).toBe(5);
    expect(await waitingRows()).toBe(3);
    expect((await MAIL_0.prepare("SELECT 1 FROM outbox WHERE kind = 'release'").all()).results).toEqual([]);
  });

  it.runIf(env.TEST_FULL)(
    "of a server that accepts and stays silent ends without a reply, by its own deadline",
    async () => {
      const server = await scriptedServer({ greeting: { silent: true } });
      const ctx = testContext({ EGRESS_URL: server.url });
      const log = vi.spyOn(ctx, "log");
      expect(await probeEgress(ctx)).toBe(false);
      expect(log.mock.calls).toEqual([
        ["egress.probe.failed", { phase: "greeting", reason: "the server did not reply in time (greeting)" }],
      ]);
    },
  );
});

describe("an egress that comes and goes", () => {
  it("costs one retry step a minute and database, counts no attempt, and loses and doubles no email", {
    timeout: 120_000,
  }, async () => {
    const { url, open } = await closedPort();
    const deployment = deploymentOf(url);
    const workspaces = [await aWorkspace({ mailShard: 0 }), await aWorkspace({ mailShard: 1 })];
    const ids = (await Promise.all(workspaces.map((workspace) => deployment.accept(workspace, 20)))).flat();
    await deployment.run(deployment.now + 10 * MINUTE);
    const attempts = async () => {
      const of = mailDatabases.map((db, shard) =>
        db
          .prepare("SELECT max(attempts) AS n FROM emails WHERE workspace = ?1")
          .bind(workspaces[shard]?.workspaceNumber)
          .first(),
      );
      return Promise.all(of);
    };
    const before = await attempts();
    const log = vi.spyOn(console, "log");
    const steps = () => log.mock.calls.filter(([line]) => String(line).includes('"outbox.released"')).length;
    for (let minute = 0; minute < 4; minute++) {
      // It responds to the probe, and is gone before the first email of the retry step.
      const server = await open();
      await deployment.run(deployment.now + MINUTE, async () => (await server.counters()).connections > 0);
      await server.close();
      await deployment.run(Math.ceil((deployment.now + 1) / MINUTE) * MINUTE - 2 * SECOND);
      expect(await waitingRows()).toBe(40);
      expect(steps()).toBe(2 * (minute + 1));
    }
    expect((await attempts()).map((row) => row?.n)).toEqual(before.map((row) => row?.n));
    const server = await open();
    await deployment.run(deployment.now + 3 * MINUTE);
    expect((await receivedIds(server)).toSorted()).toEqual(ids.toSorted());
    expect(await waitingRows()).toBe(0);
  });
});

describe("a run that ends between the end of an outage and its release", () => {
  it.each([
    ["one invocation", 32],
    ["an invocation for each mail database", 1],
  ])("leaves no email behind: the next minute releases those of all databases, swept by %s", async (_, groupSize) => {
    const { url, open } = await closedPort();
    const deployment = deploymentOf(url, groupSize);
    for (const db of mailDatabases) await insertWaiting(db, 3, deployment.now + DAY);
    await deployment.run(deployment.now + 2 * MINUTE);
    await open();
    expect(await recordResponse(deployment.context().ctx)).toBe(true);
    expect(await recordResponse(deployment.context().ctx)).toBe(false);
    expect(await waitingRows()).toBe(6);
    await deployment.run(deployment.now + 2 * MINUTE);
    expect(await waitingRows()).toBe(0);
  });
});

describe("a broken egress setting", () => {
  it.each([
    ["missing", "", "not_configured"],
    ["malformed", "smtp://user:hunter2@relay.test/path", "malformed"],
  ])(
    "that is %s is not probed and keeps the mail; it leaves within two minutes of the correction",
    async (_, broken, egress) => {
      const deployment = deploymentOf(broken);
      const [id] = await deployment.accept(await aWorkspace({ mailShard: 1 }), 1);
      await deployment.run(deployment.now + 3 * MINUTE);
      expect(await waitingRows()).toBe(1);
      expect(await readReadiness(deployment.context().ctx)).toMatchObject({ status: "not_ready", egress });
      const server = await sinkServer();
      deployment.bindings = { EGRESS_URL: server.url };
      await deployment.run(deployment.now + 2 * MINUTE);
      expect(await receivedIds(server)).toEqual([id]);
    },
  );
});

describe("GET /ready", () => {
  it("tells within a minute that the egress does not respond while emails wait, and that it is back", async () => {
    const { url, open } = await closedPort();
    const deployment = deploymentOf(url);
    deployment.bindings = { ...deployment.bindings, SYSTEM_MAILBOX: (await aWorkspace()).mailbox };
    const ready = async () => {
      const { status, egress } = await readReadiness(deployment.context().ctx);
      return { status, egress };
    };
    for (const db of mailDatabases) await insertWaiting(db, 1_500, deployment.now + DAY);
    for (let outage = 0; outage < 2; outage++) {
      await deployment.run(deployment.now + MINUTE);
      expect(await ready()).toEqual({ status: "degraded", egress: "unreachable" });
      const server = await open();
      await deployment.run(deployment.now + MINUTE);
      expect(await ready()).toEqual({ status: "ready", egress: "configured" });
      expect(await waitingRows()).toBeGreaterThan(0);
      await server.close();
    }
  });
});

describe("the first email that the egress accepts", () => {
  it("releases the emails of the other mail databases, before the next probe and without one in its own that waits", async () => {
    const { url, open } = await closedPort();
    const deployment = deploymentOf(url);
    const [old] = await deployment.accept(await aWorkspace({ mailShard: 1 }), 1);
    await deployment.run(deployment.now + 2 * MINUTE);
    const server = await open();
    const [fresh] = await deployment.accept(await aWorkspace({ mailShard: 0 }), 1);
    await deployment.deliverNew(0);
    await deployment.run(deployment.now + 10 * SECOND);
    expect(await receivedIds(server)).toEqual([fresh, old]);
  });
});
