import fc from "fast-check";
import { expect, it } from "vitest";
import { newUnsubscribeAddress } from "../../../src/platform/mail-tokens/index.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aMail, aWorkspace, createApiWithoutQueue, testContext } from "../../support/workspace.ts";
import { importCsv } from "../contacts/csv-support.ts";

/**
 * Random sequences of what changes who gets mail of topics. A plain model says who may get what at each moment; the service must agree
 * when mail is accepted, when emails are made from contacts, and at dispatch.
 */

const PEOPLE = [0, 1, 2];
/** The last of the topics is one that persons must join; the second is internal. */
const TOPICS = [0, 1, 2];
const addressOf = (person: number) => `delivered+t${person}@simulator.test`;

type Choice = "subscribed" | "unsubscribed";
const DEFAULTS: Choice[] = ["subscribed", "subscribed", "unsubscribed"];

/** Says who may get what. */
class Model {
  readonly choices = new Map<string, Choice>();
  readonly all = new Set<number>();
  /** The contact of each person in the list: a number that no other contact has. */
  readonly contacts = new Map<number, number>();
  list = 0;
  #made = 0;

  state = (person: number, topic: number): Choice =>
    this.choices.get(`${person} ${topic}`) ?? DEFAULTS[topic] ?? "unsubscribed";
  may = (person: number, topic: number | null) =>
    !this.all.has(person) && (topic === null || this.state(person, topic) === "subscribed");
  choose(person: number, topic: number, choice: Choice | null): void {
    if (choice === null) this.choices.delete(`${person} ${topic}`);
    else this.choices.set(`${person} ${topic}`, choice);
  }
  add(person: number): void {
    if (!this.contacts.has(person)) this.contacts.set(person, ++this.#made);
  }
}

const person = fc.constantFrom(...PEOPLE);
const topic = fc.constantFrom(...TOPICS);
const operation = fc.oneof(
  fc.record({
    do: fc.constant("choose" as const),
    person,
    topic,
    choice: fc.constantFrom("subscribed" as const, "unsubscribed" as const, null),
  }),
  fc.record({ do: fc.constant("one-click" as const), person, topic: fc.option(topic) }),
  fc.record({ do: fc.constant("save" as const), person, topic: fc.option(topic), checked: fc.subarray([0, 2]) }),
  fc.record({ do: fc.constant("leave all" as const), person }),
  fc.record({ do: fc.constant("remove all" as const), person }),
  fc.record({ do: fc.constant("leave by list" as const), person, topic }),
  fc.record({ do: fc.constant("remove by list" as const), person, topic }),
  fc.record({ do: fc.constant("import" as const), people: fc.subarray(PEOPLE, { minLength: 1 }) }),
  fc.record({ do: fc.constant("delete contact" as const), person }),
  fc.record({ do: fc.constant("delete list" as const) }),
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;
const operations = (maxLength: number) => fc.array(operation, { maxLength });

it("nobody who left a topic, or all mail, gets it, and everyone else does", { timeout: 3_600_000 }, async () => {
  const service = await aService();
  await fc.assert(
    fc.asyncProperty(
      operations(8),
      operations(3),
      operations(3),
      fc.option(topic),
      async (before, meanwhile, after, of) => {
        const model = new Model();
        await service.reset();
        const all = async (list: readonly Operation[]) => {
          for (const each of list) await service.apply(model, each);
        };
        await all([{ do: "import", people: PEOPLE }, ...before]);

        const singles = PEOPLE.flatMap((to) => [...TOPICS, null].map((about) => ({ to, about })));
        const accepted = await service.sendSingles(singles);
        expect(accepted.map(({ status }) => status === "queued")).toEqual(
          singles.map(({ to, about }) => model.may(to, about)),
        );
        const atSend = new Map(model.contacts);
        const listAtSend = model.list;
        const bulk = await service.sendToList(of);
        const count = [...atSend.keys()].filter((each) => model.may(each, of)).length;
        expect(bulk).toBe(atSend.size === 0 ? null : count);

        await all(meanwhile);
        const isStill = (each: number) => model.list === listAtSend && model.contacts.get(each) === atSend.get(each);
        const made = bulk === null ? [] : [...atSend.keys()].filter((each) => isStill(each) && model.may(each, of));
        const start = Date.now();
        await runOutboxAt(start, {}, ["broadcast"]);
        await all(after);
        const stillMade = made.filter((each) => isStill(each) && model.may(each, of));
        for (const round of [1, 2]) await runOutboxAt(start + round * 61_000, {}, ["broadcast", "bulk", "deliver"]);

        expect(await service.delivered(accepted.map(({ id }) => id))).toEqual(
          singles.flatMap(({ to, about }, index) =>
            accepted[index]?.status === "queued" && model.may(to, about) ? [index] : [],
          ),
        );
        expect(await service.deliveredBulk()).toEqual(stillMade.map(addressOf).sort());
      },
    ),
    { numRuns: byExtent({ quick: 100, full: 1_000, long: 10_000 }) },
  );
});

/** Returns functions that do to the service what the model does. */
async function aService() {
  const workspace = await aWorkspace();
  const api = createApiWithoutQueue(workspace.apiKey);
  const topics = [
    await aTopic(workspace, { name: "A" }),
    await aTopic(workspace, { name: "B", is_public: false }),
    await aTopic(workspace, { name: "C", default: "unsubscribed" }),
  ].map(({ id }) => id);
  const idOf = (index: number | null) => (index === null ? null : (topics[index] ?? null));
  const { number } = { number: workspace.workspaceNumber };
  let list = "";
  const suppression = (each: number) => `/v1/suppressions/${encodeURIComponent(addressOf(each))}`;
  const mailTo = (to: number, about: number | null) =>
    aMail(workspace, { to: [{ email: addressOf(to) }], unsubscribe: true, topic_id: idOf(about) });

  const sendSingles = async (singles: readonly { to: number; about: number | null }[]) => {
    const response = await api.post(
      "/v1/emails/batch",
      singles.map(({ to, about }) => mailTo(to, about)),
    );
    return (await response.json<{ results: { id: string; status: string }[] }>()).results;
  };

  // One email of each person and topic, whose links are used.
  const people = PEOPLE.map((each) => personOf(workspace, addressOf(each)));
  await Promise.all(people.map((each) => each.choose(topics[2] ?? "", "subscribed")));
  const linked = PEOPLE.flatMap((to) => [...TOPICS, null].map((about) => ({ to, about })));
  const emails = await sendSingles(linked);
  const { masterKeys, bounceDomain } = testContext().settings;
  const paths = new Map<string, string>();
  for (const [index, { to, about }] of linked.entries()) {
    const mail = { workspace: number, emailId: emails[index]?.id ?? "", recipient: 0 as const };
    paths.set(`${to} ${about}`, `/u/${(await newUnsubscribeAddress(masterKeys, mail, bounceDomain)).split("@")[0]}`);
  }
  const linkOf = (to: number, about: number | null) => paths.get(`${to} ${about}`) ?? "";
  const submit = (path: string, fields: string[][]) =>
    api.call("POST", path, new URLSearchParams(fields).toString(), {
      "Content-Type": "application/x-www-form-urlencoded",
    });

  async function newList(): Promise<void> {
    list = (await (await api.post("/v1/contacts/", { name: "List" })).json<{ id: string }>()).id;
  }

  async function reset(): Promise<void> {
    await run("DELETE FROM topic_choices WHERE workspace = ?1", number);
    await run("DELETE FROM suppressions WHERE workspace = ?1", number);
    await run("DELETE FROM outbox WHERE kind <> 'purge'");
    await newList();
  }

  async function apply(model: Model, op: Operation): Promise<void> {
    switch (op.do) {
      case "choose":
        model.choose(op.person, op.topic, op.choice);
        await people[op.person]?.choose(topics[op.topic] ?? "", op.choice);
        return;
      case "one-click":
        if (op.topic === null) model.all.add(op.person);
        else model.choose(op.person, op.topic, "unsubscribed");
        await submit(linkOf(op.person, op.topic), [["List-Unsubscribe", "One-Click"]]);
        return;
      case "save": {
        // The public topics, A and C, were shown.
        for (const each of [0, 2])
          model.choose(op.person, each, op.checked.includes(each) ? "subscribed" : "unsubscribed");
        if (op.checked.length > 0) model.all.delete(op.person);
        const shown = [0, 2].map((each) => ["shown", topics[each] ?? ""]);
        const checked = op.checked.map((each) => ["topic", topics[each] ?? ""]);
        await submit(linkOf(op.person, op.topic), [["action", "save"], ...shown, ...checked]);
        return;
      }
      case "leave all":
        model.all.add(op.person);
        await api.post("/v1/suppressions/", { email: addressOf(op.person), reason: "unsubscribe" });
        return;
      case "remove all":
        model.all.delete(op.person);
        await api.call("DELETE", suppression(op.person));
        return;
      case "leave by list": {
        model.choose(op.person, op.topic, "unsubscribed");
        const fields = { reason: "unsubscribe", topic_id: topics[op.topic] };
        await api.post("/v1/suppressions/", { email: addressOf(op.person), ...fields });
        return;
      }
      case "remove by list":
        if (model.choices.get(`${op.person} ${op.topic}`) === "unsubscribed") model.choose(op.person, op.topic, null);
        await api.call("DELETE", `${suppression(op.person)}?topic_id=${topics[op.topic]}`);
        return;
      case "import":
        for (const each of op.people) model.add(each);
        await importCsv(api, list, `email\r\n${op.people.map((each) => `${addressOf(each)}\r\n`).join("")}`);
        return;
      case "delete contact":
        model.contacts.delete(op.person);
        await run("DELETE FROM contacts WHERE workspace = ?1 AND email_key = ?2", ...[number, addressOf(op.person)]);
        return;
      case "delete list":
        model.contacts.clear();
        model.list += 1;
        await api.call("DELETE", `/v1/contacts/${list}`);
        await newList();
    }
  }

  /** Sends to the list. Returns how many emails were announced; null: the list is empty. */
  async function sendToList(about: number | null): Promise<number | null> {
    const fields = { contact_list_id: list, mailbox_id: workspace.mailboxId, subject: "News", text: "News" };
    const response = await api.post(`/v1/contacts/${list}/send`, { ...fields, topic_id: idOf(about) });
    return response.status === 400 ? null : (await response.json<{ queued: number }>()).queued;
  }

  async function delivered(ids: readonly string[]): Promise<number[]> {
    const { results } = await database
      .prepare(
        "SELECT j.key AS place FROM json_each(?2) j JOIN emails e ON e.workspace = ?1 AND e.id = j.value WHERE e.status = 'delivered' ORDER BY j.key",
      )
      .bind(number, JSON.stringify(ids))
      .all<{ place: number }>();
    return results.map(({ place }) => place);
  }

  /** Returns the addresses that got the newest bulk send, and forgets it. */
  async function deliveredBulk(): Promise<string[]> {
    const { results } = await database
      .prepare(
        "SELECT recipients->>'$[0].email' AS email FROM emails WHERE workspace = ?1 AND source = 'bulk' AND status = 'delivered' ORDER BY 1",
      )
      .bind(number)
      .all<{ email: string }>();
    await run("DELETE FROM emails WHERE workspace = ?1 AND source = 'bulk'", number);
    return results.map(({ email }) => email);
  }

  return { reset, apply, sendSingles, sendToList, delivered, deliveredBulk };
}
