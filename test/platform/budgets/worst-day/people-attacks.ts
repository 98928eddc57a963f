import { recordEvents } from "../../../support/person-events.ts";
import { createApiWithoutQueue, type TestWorkspace } from "../../../support/workspace.ts";
import { type Attack, anAddress, posting, postingTo, textOf } from "./attack.ts";
import { csvOf } from "./sending-attacks.ts";

/** Room in the metadata of a contact and in the data of an event, in bytes. */
const METADATA_BYTES = 64_000;
const DATA_BYTES = 16_000;
const TOPICS = 20;

const createList = async (attacker: TestWorkspace, body: object = {}) =>
  `/v1/contacts/${(await attacker.create("/v1/contacts/", { name: "A list", ...body })).id}`;
const aContact = () => ({
  email: anAddress(),
  name: textOf(320),
  metadata: { text: textOf(METADATA_BYTES) },
  consent: { source: textOf(500) },
});
const anEvent = () => ({ name: "order.paid", email: anAddress(), data: { text: textOf(DATA_BYTES) } });
const aForm = () => ({ name: textOf(200), title: textOf(200), text: textOf(2_000) });
const createForm = async (attacker: TestWorkspace) => {
  const path = `${await createList(attacker)}/forms`;
  const form = await attacker.create<{ id: string; url: string }>(path, aForm());
  return { path: `${path}/${form.id}`, page: new URL(form.url).pathname };
};

/** Attacks by lists, contacts, forms, topics and events. */
export const peopleAttacks: readonly Attack[] = [
  posting("POST /v1/contacts/", () => ({ name: textOf(200), description: textOf(2_000) }), {
    ...{ budgets: { contact_lists: 6 } },
  }),
  postingTo(
    "PATCH /v1/contacts/:list_id",
    (attacker) => createList(attacker, { confirm: true }),
    () => ({ confirm_text: textOf(2_000), confirm_subject: textOf(200) }),
  ),
  postingTo(
    "POST /v1/contacts/:list_id/contacts",
    async (attacker) => `${await createList(attacker)}/contacts`,
    aContact,
  ),
  postingTo(
    "PUT /v1/contacts/:list_id/contacts",
    async (attacker) => `${await createList(attacker)}/contacts`,
    aContact,
  ),
  postingTo(
    "PUT /v1/contacts/:list_id/contacts",
    async (attacker) => `${await createList(attacker)}/contacts`,
    () => ({ ...aContact(), email: "ada@example.org" }),
    { way: "of one person, each time with another consent" },
  ),
  postingTo(
    "PATCH /v1/contacts/:list_id/contacts/:contact_id",
    async (attacker) => {
      await recordEvents(attacker);
      const path = `${await createList(attacker)}/contacts`;
      return `${path}/${(await attacker.create(path, aContact())).id}`;
    },
    () => ({ metadata: { text: textOf(METADATA_BYTES) } }),
  ),
  {
    operation: "POST /v1/contacts/:list_id/upload",
    calls: 4,
    prepare: async (attacker) => {
      const path = `${await createList(attacker)}/upload`;
      return () => {
        const { body, headers } = csvOf("email,name,note", () => `${anAddress()},${"n".repeat(60)},${"x".repeat(100)}`);
        return attacker.call("POST", path, body, headers);
      };
    },
  },
  postingTo("POST /v1/contacts/:list_id/forms", async (attacker) => `${await createList(attacker)}/forms`, aForm, {
    calls: 25,
  }),
  postingTo(
    "PATCH /v1/contacts/:list_id/forms/:form_id",
    async (attacker) => (await createForm(attacker)).path,
    () => ({
      ...aForm(),
    }),
  ),
  {
    operation: "POST /f/:token",
    prepare: async (attacker) => {
      const { page } = await createForm(attacker);
      const visitor = createApiWithoutQueue(null);
      return (n) =>
        visitor.call("POST", page, new URLSearchParams({ email: anAddress() }).toString(), {
          "Content-Type": "application/x-www-form-urlencoded",
          "CF-Connecting-IP": `198.51.${n % 250}.7`,
        });
    },
  },
  {
    operation: "PUT /v1/people/:email/topics",
    prepare: async (attacker) => {
      const topics = [];
      for (let n = 0; n < TOPICS; n++) topics.push((await attacker.create("/v1/topics/", { name: `Topic ${n}` })).id);
      const body = { topics: topics.map((id) => ({ id, choice: "subscribed" })) };
      return () => attacker.call("PUT", `/v1/people/${anAddress()}/topics`, body);
    },
  },
  {
    operation: "DELETE /v1/people/:email",
    prepare: async (attacker) => () => attacker.call("DELETE", `/v1/people/${anAddress()}`),
  },
  {
    operation: "POST /v1/events",
    prepare: async (attacker) => {
      await recordEvents(attacker);
      return () => attacker.post("/v1/events", anEvent());
    },
  },
  {
    operation: "POST /v1/events/batch",
    calls: 4,
    prepare: async (attacker) => {
      await recordEvents(attacker);
      return () => attacker.post("/v1/events/batch", Array.from({ length: 500 }, anEvent));
    },
  },
  posting(
    "POST /v1/segments/",
    () => ({
      name: textOf(200),
      conditions: { all: Array.from({ length: 49 }, () => ({ field: textOf(60), is: "equals", value: textOf(200) })) },
    }),
    { budgets: { segments: 6 } },
  ),
];
