import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { Model, type WaitingEmail } from "./topics-model/model.ts";
import { type Operation, PEOPLE, type Sequence, sequence, TOPICS } from "./topics-model/operations.ts";
import { aSender, type Sender, SequenceCalls } from "./topics-model/sequence-calls.ts";

/**
 * Random sequences of what changes who gets mail of topics, also while persons are erased. A plain model says who may get what at each
 * moment; the service must agree when mail is accepted, when emails are made from contacts, and at dispatch.
 */

/** Sequences of one round: each has persons and lists of its own, and all share the runs of the outbox. */
const SEQUENCES_PER_ROUND = 20;
/** Rounds of one workspace, so that its emails do not make later rounds slower. */
const ROUNDS_PER_WORKSPACE = 25;

const SINGLES = PEOPLE.flatMap((person) => [...TOPICS, null].map((topic) => ({ person, topic })));

// A line for each of some hundred thousand emails.
beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

it("nobody who left a topic, or all mail, gets it, and everyone else does", { timeout: 7_200_000 }, async () => {
  let rounds = 0;
  let sender: Sender | undefined;
  const round = fc.array(sequence, { minLength: SEQUENCES_PER_ROUND, maxLength: SEQUENCES_PER_ROUND });
  await fc.assert(
    fc.asyncProperty(round, async (sequences) => {
      if (rounds++ % ROUNDS_PER_WORKSPACE === 0 || !sender) sender = await aSender();
      await runRound(sender, sequences, rounds);
    }),
    // A round is not shrunk, which would take hours: an error names its sequence, and its seed repeats it.
    { numRuns: byExtent({ quick: 2, full: 50, long: 500 }), endOnFailure: true },
  );
});

async function runRound(sender: Sender, sequences: readonly Sequence[], round: number): Promise<void> {
  const { workspaceNumber } = sender.workspace;
  await run("DELETE FROM audit_log WHERE workspace = ?1", workspaceNumber);
  const played = sequences.map((each, index) => new PlayedSequence(sender, each, `r${round}s${index}`));
  await Promise.all(played.map((each) => each.begin()));

  const response = await sender.api.post(
    "/v1/emails/batch",
    played.flatMap(({ calls }) => SINGLES.map(({ person, topic }) => calls.mailTo(person, topic))),
  );
  const { results } = await response.json<{ results: Accepted[] }>();
  for (const [index, each] of played.entries())
    each.expectAccepted(results.slice(index * SINGLES.length, (index + 1) * SINGLES.length));
  await Promise.all(played.map((each) => each.send()));

  const start = Date.now();
  await runOutboxAt(start, {}, ["broadcast"]);
  const made = await bulkEmails(workspaceNumber);
  await Promise.all(played.map((each) => each.afterMaking(made)));
  for (const minute of [1, 2]) await runOutboxAt(start + minute * 61_000, {}, ["broadcast", "bulk", "deliver"]);

  const [singles, bulk] = [await deliveredOf(workspaceNumber, results), await bulkEmails(workspaceNumber, "delivered")];
  for (const each of played) each.expectDelivered(singles, bulk);
  await run("DELETE FROM broadcasts WHERE workspace = ?1", workspaceNumber);
  // Erasures that were left in the middle are run to their end, and the contacts of deleted lists are deleted.
  await runOutboxAt(Date.now() + 125_000, {}, ["purge"]);
  await run("DELETE FROM outbox WHERE kind <> 'purge'");
}

interface Accepted {
  id: string;
  status: string;
}

/** An email of the send to lists, and the contact that it was made from. */
interface MadeEmail {
  list: number;
  generation: number;
  contact: number;
  email: WaitingEmail;
}

class PlayedSequence {
  readonly model = new Model();
  readonly calls: SequenceCalls;
  readonly #sequence: Sequence;
  #singles: { id: string; email: WaitingEmail }[] = [];
  #made: MadeEmail[] = [];
  #sent: { list: string; isSent: boolean; last: number; generations: number[] } = {
    ...{ list: "", isSent: false, last: 0, generations: [] },
  };

  constructor(sender: Sender, { before, ...rest }: Sequence, name: string) {
    this.calls = new SequenceCalls(sender, name);
    const people = PEOPLE.map((person) => ({ person, isCapital: false }));
    this.#sequence = { ...rest, before: [{ do: "import", list: 0, people }, ...before] };
  }

  get #named(): string {
    return JSON.stringify(this.#sequence);
  }

  async #apply(operations: readonly Operation[]): Promise<void> {
    for (const each of operations) {
      this.model.apply(each);
      await this.calls.apply(each);
    }
  }

  async begin(): Promise<void> {
    await this.calls.start();
    await this.#apply(this.#sequence.before);
  }

  expectAccepted(accepted: readonly Accepted[]): void {
    expect(
      accepted.map(({ status }) => status === "queued"),
      this.#named,
    ).toEqual(SINGLES.map(({ person, topic }) => this.model.may(person, topic)));
    this.#singles = SINGLES.flatMap(({ person, topic }, index) => {
      const { id, status } = accepted[index] ?? { id: "", status: "" };
      const email = this.model.wait(person, topic);
      return status === "queued" ? [{ id, email }] : [];
    });
  }

  async send(): Promise<void> {
    const { model } = this;
    const { send, meanwhile } = this.#sequence;
    const audience = model.audienceOf(send, model.lastContact());
    const announced = await this.calls.send(send);
    if (announced !== undefined) this.#expectAnnounced(announced, audience);
    this.#sent = {
      list: this.calls.lists[send.lists[0] ?? 0] ?? "",
      isSent: announced !== null,
      last: model.lastContact(),
      generations: send.lists.map(model.generation),
    };
    await this.#apply(meanwhile);
  }

  #expectAnnounced(announced: number | null, audience: ReturnType<Model["audienceOf"]>): void {
    const { model } = this;
    const { topic } = this.#sequence.send;
    const count = audience.filter(({ contact }) => model.may(contact.person, topic)).length;
    if (announced === null) expect(audience, this.#named).toEqual([]);
    // A choice under a keyed hash is not counted before a send.
    else if (topic === null || !audience.some(({ contact }) => model.erased.has(contact.person)))
      expect(announced, this.#named).toBe(count);
  }

  /** Notes the emails that were made, and applies what happens before they leave. */
  async afterMaking(made: readonly BulkEmail[]): Promise<void> {
    const { model } = this;
    const { send, after } = this.#sequence;
    const { isSent, last } = this.#sent;
    // Without one of its lists a broadcast is cancelled.
    const isMade = isSent && !this.#isListDeleted();
    const audience = isMade ? model.audienceOf(send, last) : [];
    this.#made = audience
      .filter(({ contact }) => model.may(contact.person, send.topic))
      .map(({ list, contact }) => ({
        ...{ list, generation: model.generation(list), contact: contact.id },
        email: model.wait(contact.person, send.topic),
      }));
    expect(this.#sentTo(made), this.#named).toEqual(this.#addressesOf(this.#made));
    await this.#apply(after);
  }

  #addressesOf = (emails: readonly MadeEmail[]) => emails.map(({ email }) => this.calls.addressOf(email.person)).sort();
  #sentTo = (emails: readonly BulkEmail[]) =>
    emails.filter(({ list }) => list === this.#sent.list).map(({ email }) => email);

  #isListDeleted = () => {
    const { generations } = this.#sent;
    return this.#sequence.send.lists.some((list, index) => generations[index] !== this.model.generation(list));
  };

  expectDelivered(singles: ReadonlySet<string>, bulk: readonly BulkEmail[]): void {
    const { model } = this;
    expect(
      this.#singles.filter(({ id }) => singles.has(id)),
      this.#named,
    ).toEqual(this.#singles.filter(({ email }) => model.leaves(email)));
    const isThere = ({ list, generation, contact }: MadeEmail) =>
      generation === model.generation(list) && model.contactsOf(list).some(({ id }) => id === contact);
    const expected = this.#addressesOf(this.#made.filter((each) => isThere(each) && model.leaves(each.email)));
    const delivered = this.#sentTo(bulk);
    // The deletion of one of several lists may cancel the whole broadcast before these leave.
    if (this.#isListDeleted()) expect(expected, this.#named).toEqual(expect.arrayContaining(delivered));
    else expect(delivered, this.#named).toEqual(expected);
  }
}

async function deliveredOf(workspace: number, emails: readonly Accepted[]): Promise<Set<string>> {
  const results = await database.rows<{ id: string }>(
    "SELECT id FROM emails WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2)) AND status = 'delivered'",
    [workspace, JSON.stringify(emails.map(({ id }) => id))],
  );
  return new Set(results.map(({ id }) => id));
}

interface BulkEmail {
  list: string;
  email: string;
}

/** Returns the emails of sends to lists, by address: all, or those with a status. */
async function bulkEmails(workspace: number, status: string | null = null): Promise<BulkEmail[]> {
  const results = await database.rows<BulkEmail>(
    `SELECT b.contact_list_id AS list, lower(e.recipients->>'$[0].email') AS email FROM broadcasts b JOIN emails e ON e.broadcast = b.n
        WHERE b.workspace = ?1 AND (?2 IS NULL OR e.status = ?2) ORDER BY 2`,
    [workspace, status],
  );
  return results;
}
