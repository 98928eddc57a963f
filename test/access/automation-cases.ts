import { runAutomations } from "../../src/audience/automations/index.ts";
import { onShard } from "../../src/platform/jobs/shards.ts";
import { insertEventsStatements } from "../../src/platform/person-events/insert.ts";
import { type TestWorkspace, testContext, until } from "../support/workspace.ts";
import type { RouteCase } from "./route-case.ts";

const body = () => ({ name: "Welcome", trigger: { event: "signed_up" }, steps: [{ kind: "wait", for: { days: 1 } }] });

const create = async (workspace: TestWorkspace) => {
  return { automation_id: (await workspace.create("/v1/automations/", body())).id };
};

const createEmail = async (workspace: TestWorkspace) => {
  const email = { kind: "send_email", mailbox_id: workspace.mailboxId, subject: "Hello", text: "Hello" };
  return { automation_id: (await workspace.create("/v1/automations/", { ...body(), steps: [email] })).id };
};

const activate = async (workspace: TestWorkspace) => {
  const { automation_id } = await create(workspace);
  await workspace.post(`/v1/automations/${automation_id}/activate`, undefined);
  return { automation_id };
};

const addContact = async (workspace: TestWorkspace, email: string) => {
  const { id } = await workspace.create("/v1/contacts/", { name: "A list" });
  await workspace.post(`/v1/contacts/${id}/contacts`, { email });
};

/** Creates a run that waits. */
const enter = async (workspace: TestWorkspace) => {
  const { automation_id } = await activate(workspace);
  const email = `p${crypto.randomUUID()}@example.org`;
  await addContact(workspace, email);
  const ctx = onShard(testContext(), workspace.mailShard);
  const event = { workspace: workspace.workspaceNumber, id: ctx.newId(), emailKey: email, name: "signed_up" };
  await ctx.outbox.batch(insertEventsStatements(ctx, [{ ...event, data: {}, occurredAt: ctx.now() }]));
  const findRun = async () => {
    // A run of the queue may be at work, which reads the event too.
    await runAutomations(ctx);
    const response = await workspace.get(`/v1/automations/${automation_id}/runs`);
    return (await response.json<{ id: string }[]>())[0];
  };
  const run = await until(findRun, (found) => found !== undefined);
  return { automation_id, run_id: run?.id ?? "" };
};

/** The routes of automations. */
export const automationCases: Record<string, RouteCase> = {
  "POST /v1/automations/": { success: 201, body },
  "GET /v1/automations/": { success: 200 },
  "GET /v1/automations/:automation_id": { success: 200, create },
  "PATCH /v1/automations/:automation_id": { success: 200, create, body: () => ({ name: "New name" }) },
  "POST /v1/automations/:automation_id/activate": { success: 200, create },
  "POST /v1/automations/:automation_id/pause": { success: 200, create: activate },
  "POST /v1/automations/:automation_id/archive": { success: 200, create },
  "POST /v1/automations/:automation_id/dry-run": {
    success: 200,
    create: async (workspace) => {
      await addContact(workspace, "ada@example.org");
      return create(workspace);
    },
    body: () => ({ email: "ada@example.org" }),
  },
  "POST /v1/automations/:automation_id/test": {
    success: 202,
    create: createEmail,
    body: () => ({ step: "0", to: ["delivered@simulator.test"] }),
  },
  "GET /v1/automations/:automation_id/runs": { success: 200, create },
  "GET /v1/automations/:automation_id/runs/:run_id": { success: 200, create: enter },
  "DELETE /v1/automations/:automation_id/runs/:run_id": { success: 204, create: enter },
};
