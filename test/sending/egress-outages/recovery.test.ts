/**
 * Emails that wait leave by themselves after an outage of the egress, whether or not new mail comes
 * (docs/contract/delivery.md#outages).
 */
import { beforeEach, expect, it, vi } from "vitest";
import { closedPort, receivedIds } from "../../support/closed-port.ts";
import { byExtent } from "../../support/extent.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { Deployment, forgetOutages, MINUTE, mailDatabases } from "./support.ts";

const EMAILS = 500;

beforeEach(async () => {
  await forgetOutages();
  vi.spyOn(Math, "random").mockReturnValue(0);
});

const EACH_DATABASE: [string, number] = ["an invocation for each mail database", 1];
const SWEPT_BY = [EACH_DATABASE, ["one invocation", 32] as [string, number]];

it.each(byExtent({ quick: [EACH_DATABASE], full: SWEPT_BY, long: SWEPT_BY }))(
  `${EMAILS} emails in two mail databases leave within 10 minutes of an outage of 12 minutes, each once, swept by %s`,
  {
    timeout: 300_000,
  },
  async (_, groupSize) => {
    const { url, open } = await closedPort();
    const deployment = new Deployment(Date.now(), { EGRESS_URL: url }, groupSize);
    const ids: string[] = [];
    for (const mailShard of [0, 1]) ids.push(...(await deployment.accept(await aWorkspace({ mailShard }), EMAILS / 2)));
    await deployment.run(deployment.now + 12 * MINUTE);
    const server = await open();
    const recovery = deployment.now;
    const sent = async () => (await server.counters()).accepted;
    await deployment.run(recovery + 10 * MINUTE, async () => (await sent()) >= EMAILS);
    expect(await sent()).toBe(EMAILS);
    expect(deployment.now - recovery).toBeLessThan(10 * MINUTE);
    await deployment.run(deployment.now + 3 * MINUTE);
    expect((await receivedIds(server)).toSorted()).toEqual(ids.toSorted());
    for (const db of mailDatabases) expect((await db.prepare("SELECT * FROM outbox").all()).results).toEqual([]);
  },
);
