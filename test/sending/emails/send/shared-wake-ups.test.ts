/** Single sends that come while a call to the queue runs share the queue messages of the next call. */
import { expect, it } from "vitest";
import type { OutboxMessage } from "../../../../src/platform/outbox/wake.ts";
import { aMail, apiOn, aWorkspace } from "../../../support/workspace.ts";

const SENDS = 12;

it("sends that come while a call to the queue runs get their 202 without it, and share the messages of the next call", async () => {
  const workspace = await aWorkspace();
  const calls: string[][][] = [];
  const first = Promise.withResolvers<void>();
  const isCalled = Promise.withResolvers<void>();
  const WORK = {
    async sendBatch(messages: Iterable<MessageSendRequest<OutboxMessage>>) {
      calls.push([...messages].map(({ body }) => body.rows.map(({ id }) => id)));
      if (calls.length > 1) return;
      isCalled.resolve();
      await first.promise;
    },
  };
  const api = apiOn({ WORK }, workspace.apiKey);
  const send = async () => {
    const response = await api.post("/v1/emails/", aMail(workspace));
    expect(response.status).toBe(202);
    return (await response.json<{ id: string }>()).id;
  };
  const lone = send();
  await isCalled.promise;
  const others = await Promise.all(Array.from({ length: SENDS }, send));
  expect(calls).toHaveLength(1);
  first.resolve();
  const id = await lone;
  // Ten rows a message.
  expect(calls.map((messages) => messages.map((rows) => rows.length))).toEqual([[1], [10, 2]]);
  expect(calls[0]).toEqual([[id]]);
  expect(calls[1]?.flat().sort()).toEqual(others.sort());
});
