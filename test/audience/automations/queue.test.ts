import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { aList, anEvent, automationsOf, silent } from "./support.ts";

it("a message of the automations queue moves runs; no mail waits for it, since the queue of deliveries does not know it", async () => {
  const workspace = await aWorkspace();
  await aList(workspace, [{ email: "ada@example.org" }]);
  const automations = automationsOf(workspace);
  const { id } = await automations.start({ steps: [{ kind: "set_field", field: "plan", value: "gold" }] });
  await anEvent(workspace, "ada@example.org");
  const statuses = async () => (await automations.runs(id)).map(({ status }) => status);
  const wake = { type: "automations.wake.v1", shard: workspace.mailShard };
  /** Returns the bodies that are retried. */
  const consume = async (queue: string, bodies: readonly unknown[]) => {
    const messages = bodies.map((body, n) => ({ id: String(n), timestamp: new Date(), attempts: 1, body }));
    const batch = createMessageBatch(queue, messages);
    const execution = createExecutionContext();
    await worker.queue?.(batch, { ...env, ...silent } as unknown as Env, execution);
    const { retryMessages } = await getQueueResult(batch, execution);
    return retryMessages.map(({ msgId }) => bodies[Number(msgId)]);
  };
  expect(await consume(env.WORK_QUEUE, [wake])).toEqual([wake]);
  expect(await statuses()).toEqual([]);
  expect(await consume(env.AUTOMATIONS_QUEUE, ["unknown", wake, null])).toEqual(["unknown", null]);
  expect(await statuses()).toEqual(["completed"]);
});
