import { runAutomations } from "../../src/audience/automations/index.ts";
import { aMail, createApiWithoutQueue, type TestWorkspace, testContext, until } from "../support/workspace.ts";

/** Returns functions that create what the operations of forms and people return, by operation id. */
export function formPreparations(createList: () => Promise<{ list_id: string }>, workspace: () => TestWorkspace) {
  const form = async () => {
    const { list_id } = await createList();
    const body = {
      ...{ name: "Footer of the shop", title: "News of the shop", text: "Once a month." },
      fields: [{ name: "name", label: "Your name" }],
    };
    return { list_id, form_id: (await workspace().create(`/v1/contacts/${list_id}/forms`, body)).id };
  };
  const email = "ada@example.org";
  return {
    exportPerson: async () => {
      const { list_id } = await createList();
      const contact = { email, name: "Ada Lovelace", metadata: { city: "London" }, consent: { source: "At the fair" } };
      await workspace().post(`/v1/contacts/${list_id}/contacts`, contact);
      const mail = aMail(workspace(), { to: [{ email, name: "Ada Lovelace" }] });
      await createApiWithoutQueue(workspace().apiKey).post("/v1/emails/", mail);
      const { id } = await workspace().create("/v1/automations/", {
        name: "Welcome",
        trigger: { event: "order.paid" },
      });
      await workspace().post(`/v1/automations/${id}/activate`, undefined);
      await workspace().post("/v1/events", { name: "order.paid", email, data: { total: 42.5 } });
      // A run of the queue may be at work, which reads the event too.
      await until(
        async () => {
          await runAutomations(testContext());
          return (await workspace().get(`/v1/automations/${id}/runs`)).json<object[]>();
        },
        (runs) => runs.length > 0,
      );
      return {};
    },
    getErasure: async () => {
      const response = await workspace().call("DELETE", `/v1/people/${email}`);
      return { erasure_id: (await response.json<{ id: string }>()).id };
    },
    createContactForm: createList,
    ...{ listContactForms: form, getContactForm: form, updateContactForm: form, deleteContactForm: form },
  };
}
