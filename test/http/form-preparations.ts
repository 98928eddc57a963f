import type { TestWorkspace } from "../support/workspace.ts";

/** Returns functions that create what the operations of forms return, by operation id. */
export function formPreparations(createList: () => Promise<{ list_id: string }>, workspace: () => TestWorkspace) {
  const form = async () => {
    const { list_id } = await createList();
    const body = {
      ...{ name: "Footer of the shop", title: "News of the shop", text: "Once a month." },
      fields: [{ name: "name", label: "Your name" }],
    };
    const response = await workspace().post(`/v1/contacts/${list_id}/forms`, body);
    return { list_id, form_id: (await response.json<{ id: string }>()).id };
  };
  return {
    createContactForm: createList,
    ...{ listContactForms: form, getContactForm: form, updateContactForm: form, deleteContactForm: form },
  };
}
