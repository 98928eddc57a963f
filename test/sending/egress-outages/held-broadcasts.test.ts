/**
 * Emails of a broadcast that may not leave yet do not keep those of others from leaving after an outage
 * (docs/contract/delivery.md#outages).
 */
import { beforeEach, expect, it, vi } from "vitest";
import { aContactList, broadcastsOf } from "../../audience/broadcasts/support.ts";
import { closedPort } from "../../support/closed-port.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { Deployment, forgetOutages, MINUTE, waitingRows } from "./support.ts";

/** More than the released emails that a retry step waits for. */
const HELD = 270;

beforeEach(async () => {
  await forgetOutages();
  vi.spyOn(Math, "random").mockReturnValue(0);
});

const pauseWorkspace = ({ workspaceNumber }: TestWorkspace) =>
  database.run("UPDATE workspaces SET sending_paused_at = 1 WHERE number = ?1", [workspaceNumber]);
// As if contacts were left that had no attempt: a broadcast that has tried all cannot be paused any more.
const pauseBroadcast = (id: string) => database.run("UPDATE broadcasts SET paused_at = 1 WHERE id = ?1", [id]);
const slowDown = (id: string) => database.run("UPDATE broadcasts SET max_per_hour = 6 WHERE id = ?1", [id]);

const REASONS = ["broadcast is paused", "workspace is paused", "broadcast has a low max_per_hour"];

it.each(byExtent({ quick: REASONS.slice(0, 1), full: REASONS, long: REASONS }))(
  "the emails of another workspace leave within 10 minutes of an outage while a %s",
  { timeout: 300_000 },
  async (held) => {
    const [first, second] = [await closedPort(), await closedPort()];
    const deployment = new Deployment(Date.now(), { EGRESS_URL: first.url });
    const sender = await aWorkspace();
    const broadcasts = broadcastsOf(sender);
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(sender, HELD) });
    await database.run("UPDATE contacts SET email = replace(email, 'simulator.test', 'example.net')");
    await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
    await deployment.run(deployment.now + 3 * MINUTE);
    expect(await waitingRows()).toBe(HELD);

    if (held === "broadcast is paused") await pauseBroadcast(id);
    else if (held === "workspace is paused") await pauseWorkspace(sender);
    else await slowDown(id);
    const server = await first.open();
    await deployment.run(deployment.now + 2 * MINUTE);
    const before = (await server.counters()).accepted;
    expect(before).toBeLessThan(3);

    deployment.bindings = { EGRESS_URL: second.url };
    await deployment.accept(await aWorkspace(), 5);
    await deployment.run(deployment.now + 12 * MINUTE);
    const recovered = await second.open();
    await deployment.run(deployment.now + 10 * MINUTE, async () => (await recovered.counters()).accepted >= 5);
    const own = await recovered.messages();
    expect(own.filter(({ raw }) => !new TextDecoder().decode(raw).includes("List-Unsubscribe")).length).toBe(5);
  },
);
