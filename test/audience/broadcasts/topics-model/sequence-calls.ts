import { env } from "cloudflare:workers";
import { erasePerson } from "../../../../src/operations/purges/erasure.ts";
import { newUnsubscribeAddress } from "../../../../src/platform/mail-tokens/return-path.ts";
import { aTopic } from "../../../support/topics.ts";
import {
  aMail,
  aWorkspace,
  type createApiWithoutQueue,
  type TestWorkspace,
  testContext,
} from "../../../support/workspace.ts";
import { importCsv } from "../../contacts/csv-support.ts";
import { LISTS, type Operation, type Send, type Spelling, type Until } from "./operations.ts";

type Api = ReturnType<typeof createApiWithoutQueue>;

/** A workspace with the topics of the sequences. */
export interface Sender {
  workspace: TestWorkspace;
  api: Api;
  topics: string[];
}

export async function aSender(): Promise<Sender> {
  const workspace = await aWorkspace();
  const topics = [
    await aTopic(workspace, { name: "A" }),
    await aTopic(workspace, { name: "B", is_public: false }),
    await aTopic(workspace, { name: "C", default: "unsubscribed" }),
  ].map(({ id }) => id);
  return { workspace, api: workspace.withoutQueue, topics };
}

/** Stage of a mail database at which an erasure has come so far (src/operations/purges/erasure.ts). */
const STAGE: Record<Exclude<Until, "end">, number> = { started: 0, contacts: 2, emails: 3 };

/** Does to the service, by its API, what the model does. Its persons and lists are its own. */
export class SequenceCalls {
  readonly lists: string[] = [];
  readonly sender: Sender;
  readonly name: string;
  readonly #links = new Map<string, string>();

  constructor(sender: Sender, name: string) {
    this.sender = sender;
    this.name = name;
  }

  addressOf = (person: number) => `delivered+${this.name}p${person}@simulator.test`;
  #spell = ({ person, isCapital }: Spelling) =>
    isCapital ? `delivered+${this.name.toUpperCase()}P${person}@Simulator.TEST` : this.addressOf(person);
  #topic = (index: number | null) => (index === null ? null : (this.sender.topics[index] ?? null));

  async call(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await this.sender.api.call(method, path, body);
    if (response.status >= 500 || response.status === 401 || response.status === 429)
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }

  async start(): Promise<void> {
    for (const list of LISTS) await this.#newList(list);
  }

  mailTo(person: number, topic: number | null) {
    const fields = { to: [{ email: this.addressOf(person) }], unsubscribe: true, topic_id: this.#topic(topic) };
    return aMail(this.sender.workspace, fields);
  }

  async apply(op: Operation): Promise<void> {
    if (op.do === "choose") {
      const topics = [{ id: this.#topic(op.topic), choice: op.choice }];
      await this.call("PUT", `/v1/people/${encodeURIComponent(this.#spell(op.who))}/topics`, { topics });
    } else if (op.do === "one-click") await this.#submit(op, [["List-Unsubscribe", "One-Click"]]);
    else if (op.do === "save") {
      const shown = [0, 2].map((each) => ["shown", this.#topic(each) ?? ""]);
      const checked = op.checked.map((each) => ["topic", this.#topic(each) ?? ""]);
      await this.#submit(op, [["action", "save"], ...shown, ...checked]);
    } else if (op.do === "leave all" || op.do === "leave by list") {
      const topic = op.do === "leave all" ? {} : { topic_id: this.#topic(op.topic) };
      await this.call("POST", "/v1/suppressions/", { email: this.#spell(op.who), reason: "unsubscribe", ...topic });
    } else if (op.do === "remove all" || op.do === "remove by list") {
      const query = op.do === "remove all" ? "" : `?topic_id=${this.#topic(op.topic)}`;
      await this.call("DELETE", `/v1/suppressions/${encodeURIComponent(this.#spell(op.who))}${query}`);
    } else if (op.do === "erase") await this.#erase(op.who, op.until);
    else await this.#changeContacts(op);
  }

  async #changeContacts(op: Extract<Operation, { list: number }>): Promise<void> {
    const list = `/v1/contacts/${this.lists[op.list]}`;
    const contacts = `${list}/contacts`;
    if (op.do === "import") {
      const rows = op.people.map((each) => `${this.#spell(each)}\r\n`);
      await importCsv(this.sender.api, this.lists[op.list] ?? "", `email\r\n${rows.join("")}`);
    } else if (op.do === "add" || op.do === "put")
      await this.call(op.do === "add" ? "POST" : "PUT", contacts, { email: this.#spell(op.who) });
    else if (op.do === "delete list") {
      await this.call("DELETE", list);
      await this.#newList(op.list);
    } else {
      const id = await this.#findContact(list, op.person);
      if (id === undefined) return;
      if (op.do === "delete contact") await this.call("DELETE", `${contacts}/${id}`);
      else await this.call("PATCH", `${contacts}/${id}`, { email: this.#spell(op.into) });
    }
  }

  async #newList(index: number): Promise<void> {
    const response = await this.call("POST", "/v1/contacts/", { name: "List" });
    this.lists[index] = (await response.json<{ id: string }>()).id;
  }

  async #findContact(list: string, person: number): Promise<string | undefined> {
    const response = await this.call("GET", `${list}?q=${encodeURIComponent(this.addressOf(person))}`);
    const { contacts } = await response.json<{ contacts: { id: string }[] }>();
    return contacts[0]?.id;
  }

  /** Posts to the unsubscribe link of an email. */
  async #submit(op: Extract<Operation, { isNew: boolean }>, fields: string[][]): Promise<void> {
    const { person, topic } = op;
    const name = `${person} ${topic}`;
    let link = this.#links.get(name);
    if (op.isNew || link === undefined) {
      const response = await this.call("POST", "/v1/emails/", this.mailTo(person, topic));
      const { id } = await response.json<{ id: string }>();
      const { masterKeys, bounceDomain } = testContext().settings;
      const mail = { workspace: this.sender.workspace.workspaceNumber, emailId: id, recipient: 0 as const };
      link = `/u/${(await newUnsubscribeAddress(masterKeys, mail, bounceDomain)).split("@")[0]}`;
      this.#links.set(name, link);
    }
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    await this.sender.api.call("POST", link, new URLSearchParams(fields).toString(), headers);
  }

  /** Begins an erasure, or takes the one that runs, and runs its steps as far as told. */
  async #erase(who: Spelling, until: Until): Promise<void> {
    const response = await this.call("DELETE", `/v1/people/${encodeURIComponent(this.#spell(who))}`);
    const { id } = await response.json<{ id: string }>();
    const of = this.sender.workspace.workspaceNumber;
    for (;;) {
      const progress = await env.DB.prepare("SELECT progress FROM erasures WHERE id = ?1").bind(id).first("progress");
      const { database = 0, stage = 0 } = JSON.parse(String(progress)) as { database?: number; stage?: number };
      if (until !== "end" && (database > 0 || stage >= STAGE[until])) return;
      if (await erasePerson(testContext(), { erasure: id, of })) return;
    }
  }

  /** Sends to one list, or a broadcast to both. Returns how many emails were announced; null: it was refused; undefined: not told. */
  async send({ lists, topic }: Send): Promise<number | null | undefined> {
    const [first = "", ...others] = lists.map((list) => this.lists[list] ?? "");
    const fields = { contact_list_id: first, subject: "News", topic_id: this.#topic(topic) };
    const { mailboxId, mailbox } = this.sender.workspace;
    if (others.length === 0) {
      const body = { ...fields, mailbox_id: mailboxId, text: "News" };
      const response = await this.call("POST", `/v1/contacts/${first}/send`, body);
      return response.status === 400 ? null : (await response.json<{ queued: number }>()).queued;
    }
    const body = { ...fields, name: "News", from_address: mailbox, text_body: "News", more_contact_list_ids: others };
    const created = await (await this.call("POST", "/v1/broadcasts/", body)).json<{ id: string }>();
    const { status } = await this.call("POST", `/v1/broadcasts/${created.id}/send`);
    return status === 422 ? null : undefined;
  }
}
