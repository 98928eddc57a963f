import { runAutomations } from "../../src/audience/automations/index.ts";
import { insertEventsStatements } from "../../src/platform/person-events/insert.ts";
import { type TestWorkspace, testContext, until } from "../support/workspace.ts";

/** Returns functions that create what the operations of automations return, by operation id. `create` makes a record by its example. */
export function automationPreparations(create: (path: string) => Promise<string>, workspace: () => TestWorkspace) {
  const automation = async () => ({ automation_id: await create("/v1/automations/") });
  const active = async () => {
    const { automation_id } = await automation();
    await workspace().post(`/v1/automations/${automation_id}/activate`, undefined);
    return { automation_id };
  };
  const addContact = async (email: string) => {
    await workspace().post(`/v1/contacts/${await create("/v1/contacts/")}/contacts`, { email });
  };
  /** Creates a run that waits at its first step. */
  const run = async () => {
    const { automation_id } = await active();
    const email = "ada@example.com";
    await addContact(email);
    const ctx = testContext();
    const event = { workspace: workspace().workspaceNumber, id: ctx.newId(), emailKey: email, name: "signed_up" };
    await ctx.outbox.batch(insertEventsStatements(ctx, [{ ...event, data: {}, occurredAt: ctx.now() }]));
    const findRun = async () => {
      // A run of the queue may be at work, which reads the event too.
      await runAutomations(ctx);
      const response = await workspace().get(`/v1/automations/${automation_id}/runs`);
      return (await response.json<{ id: string }[]>())[0];
    };
    const first = await until(findRun, (found) => found !== undefined);
    return { automation_id, run_id: first?.id ?? "" };
  };
  return {
    ...{ listAutomations: active, getAutomation: active, updateAutomation: active, activateAutomation: automation },
    ...{ pauseAutomation: active, archiveAutomation: active },
    ...{ listAutomationRuns: run, getAutomationRun: run, removeAutomationRun: run },
    sendAutomationTest: async () => {
      const { automation_id } = await automation();
      const email = { kind: "send_email", mailbox_id: workspace().mailboxId, subject: "Hello", text: "Hello" };
      await workspace().call("PATCH", `/v1/automations/${automation_id}`, { steps: [email] });
      return { automation_id };
    },
    previewAutomation: async () => {
      await addContact("ada@example.com");
      return automation();
    },
  };
}
