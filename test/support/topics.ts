import { expect } from "vitest";
import type { PersonTopicsOut, TopicOut } from "../../src/sending/topics/index.ts";
import type { TestWorkspace } from "./workspace.ts";

/** Creates a topic. */
export async function aTopic(
  workspace: Pick<TestWorkspace, "post">,
  changes: Record<string, unknown> = {},
): Promise<TopicOut> {
  const response = await workspace.post("/v1/topics/", { name: "Product news", is_public: true, ...changes });
  expect(response.status, await response.clone().text()).toBe(201);
  return response.json<TopicOut>();
}

/** Returns functions about the topics of a person, by their address. */
export function personOf(workspace: Pick<TestWorkspace, "call" | "get">, email: string) {
  const path = `/v1/people/${encodeURIComponent(email)}/topics`;
  const put = (topics: unknown) => workspace.call("PUT", path, { topics });
  const read = async () => (await workspace.get(path)).json<PersonTopicsOut>();
  return {
    put,
    read,
    choose: async (id: string, choice: "subscribed" | "unsubscribed" | null) => {
      const response = await put([{ id, choice }]);
      expect(response.status, await response.clone().text()).toBe(200);
      return response.json<PersonTopicsOut>();
    },
    /** Returns the state in a topic, and how it was chosen. */
    state: async (id: string) => {
      const topic = (await read()).topics.find((each) => each.id === id);
      return `${topic?.state} ${topic?.method}`;
    },
  };
}
