import { expect, it } from "vitest";
import type { OutboxMessage } from "../../../../src/platform/outbox/wake.ts";
import { aMail, apiOn, aWorkspace } from "../../../support/workspace.ts";

it("a wake-up that the queue refuses is sent again after the response, and no more than twice", async () => {
  const workspace = await aWorkspace();
  for (const [refusals, calls] of [
    [1, 2],
    [3, 3],
  ] as const) {
    const named: string[] = [];
    let made = 0;
    const WORK = {
      async sendBatch(messages: Iterable<MessageSendRequest<OutboxMessage>>) {
        made += 1;
        if (made <= refusals) throw new Error("Queue sendBatch failed: Too Many Requests");
        for (const { body } of messages) named.push(...body.rows.map(({ id }) => id));
      },
    };
    const response = await apiOn({ WORK }, workspace.apiKey).post("/v1/emails/", aMail(workspace));
    expect(response.status).toBe(202);
    const { id } = (await response.json()) as { id: string };
    expect(made).toBe(calls);
    expect(named).toEqual(refusals < calls ? [id] : []);
  }
});
