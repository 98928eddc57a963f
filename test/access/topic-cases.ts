import type { TestWorkspace } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const createTopic = async (workspace: TestWorkspace) => {
  return { topic_id: (await workspace.create("/v1/topics/", { name: "A topic" })).id };
};

// Any address is a person of every workspace.
const createPerson = async () => ({ email: `p${crypto.randomUUID()}@example.org` });

/** The routes of topics. */
export const topicCases: Record<string, RouteCase> = {
  "POST /v1/topics/": { success: 201, body: () => ({ name: "A topic" }) },
  "GET /v1/topics/": { success: 200 },
  "GET /v1/topics/:topic_id": { success: 200, create: createTopic },
  "PATCH /v1/topics/:topic_id": { success: 200, create: createTopic, body: () => ({ name: "New name" }) },
  "DELETE /v1/topics/:topic_id": { success: 204, create: createTopic },
  "GET /v1/people/:email/topics": { success: 200, create: createPerson, takesAnyId: true },
  "GET /v1/people/:email/export": {
    ...{ success: 200, create: createPerson, takesAnyId: true },
    ...{ only: "admins", beyond: ["emails:view"] },
  },
  "GET /v1/people/:email/events": { success: 200, create: createPerson, takesAnyId: true },
  "POST /v1/events": {
    ...{ success: 202, body: () => ({ name: "order.paid", email: "ada@example.org" }) },
    places: { "body.contact_id": { of: "contact", body: (_, id) => ({ name: "order.paid", contact_id: id }) } },
  },
  "POST /v1/events/batch": {
    ...{ success: 202, body: () => [{ name: "order.paid", email: "ada@example.org" }] },
    places: { "body[].contact_id": { of: "contact", body: (_, id) => [{ name: "order.paid", contact_id: id }] } },
  },
  "DELETE /v1/people/:email": { success: 202, create: createPerson, takesAnyId: true, only: "admins" },
  "GET /v1/people/erasures/:erasure_id": {
    ...{ success: 200, only: "admins" },
    create: async (workspace) => {
      const response = await workspace.call("DELETE", `/v1/people/p${crypto.randomUUID()}%40example.org`);
      return { erasure_id: (await response.json<{ id: string }>()).id };
    },
  },
  "PUT /v1/people/:email/topics": {
    ...{ success: 200, create: createPerson, takesAnyId: true },
    body: () => ({ topics: [] }),
  },
};
