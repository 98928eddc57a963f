import type { TestWorkspace } from "../support/workspace.ts";

/** Returns functions that create what the operations of segments return, by operation id. `create` makes a record by its example. */
export function segmentPreparations(create: (path: string) => Promise<string>, workspace: () => TestWorkspace) {
  const segment = async () => ({ segment_id: await create("/v1/segments/") });
  const withPerson = async () => {
    const { segment_id } = await segment();
    const list = await create("/v1/contacts/");
    const contact = { email: "ada@example.org", name: "Ada Lovelace", metadata: { plan: "gold" } };
    await workspace().post(`/v1/contacts/${list}/contacts`, contact);
    return { segment_id };
  };
  return {
    ...{ listSegments: segment, getSegment: segment, updateSegment: segment, deleteSegment: segment },
    ...{ listSegmentContacts: withPerson, countSegment: withPerson },
  };
}
