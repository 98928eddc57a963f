import fc from "fast-check";
import { expect, it } from "vitest";
import type { AudienceOut } from "../../../src/audience/broadcasts/report-schema.ts";
import { database, withFailingCall } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace } from "../../support/workspace.ts";
import { automationsOf } from "../automations/support.ts";
import { aListWith, segmentsOf } from "../segments/support.ts";
import { broadcastsOf, emailsOf, runBroadcasts, suppress } from "./support.ts";

const addressOf = (person: number | string) => `delivered+${person}@simulator.test`;
const gold = { field: "plan", is: "equals", value: "gold" };
const goldOf = (person: number | string, name?: string) => ({
  ...{ email: addressOf(person), name: name ?? null, metadata: { plan: "gold" } },
});

const membersOf = async (id: string) =>
  database.value<number>(
    "SELECT count(*) AS n FROM broadcast_members m JOIN broadcasts b ON b.n = m.broadcast WHERE b.id = ?1",
    [id],
  );

const addressesOf = async (id: string) => (await emailsOf(id)).map(({ email }) => email).sort();

/** Creates and sends a broadcast, and runs it to its end. Returns its id. */
async function send(workspace: TestWorkspace, changes: Record<string, unknown>): Promise<string> {
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create(changes);
  await broadcasts.expectJson(await broadcasts.act(id, "send"), 200);
  await runBroadcasts();
  return id;
}

it("a broadcast to a segment alone mails each of its people once, as the oldest active contact", async () => {
  const workspace = await aWorkspace();
  await aListWith(workspace, [{ ...goldOf(1, "pending"), pending: true }, goldOf(2, "first"), goldOf(5)]);
  await aListWith(workspace, [goldOf(1, "active"), goldOf(2, "second"), { email: addressOf(3) }]);
  await aListWith(workspace, [goldOf(2, "third"), { ...goldOf(4), pending: true }]);
  await suppress(workspace, [addressOf(5)]);
  const segment = await segmentsOf(workspace).create(gold);
  const id = await send(workspace, { segment_id: segment.id });
  expect((await emailsOf(id)).map(({ subject }) => subject).sort()).toEqual(["News for active", "News for first"]);
  const broadcasts = broadcastsOf(workspace);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sent", segment_id: segment.id, recipient_count: 2 });
  expect(await (await broadcasts.api.get(`${broadcasts.path(id)}/audience`)).json()).toEqual({
    ...{ eligible: 2, sample: 2, remainder: 0 },
    skipped: { suppressed: 1, unsubscribed: 0, invalid: 0, pending: 1 },
  });
  expect(await membersOf(id)).toBe(0);
});

it("with lists, a person must be in one of them and in the segment, and is mailed as a contact of the first list", async () => {
  const workspace = await aWorkspace();
  const [second, first] = [
    await aListWith(workspace, [goldOf(1, "second"), goldOf(2, "second"), { email: addressOf(3) }]),
    await aListWith(workspace, [goldOf(1, "first"), { email: addressOf(4) }]),
  ];
  await aListWith(workspace, [goldOf(5)]);
  const segment = await segmentsOf(workspace).create(gold);
  const lists = { contact_list_id: first, more_contact_list_ids: [second] };
  const id = await send(workspace, { ...lists, segment_id: segment.id });
  const emails = (await emailsOf(id)).map(({ email, subject }) => [email, subject]).sort();
  expect(emails).toEqual([
    [addressOf(1), "News for first"],
    [addressOf(2), "News for second"],
  ]);
});

it("a person who came to the first list after the send is mailed as the contact that existed at it", async () => {
  const workspace = await aWorkspace();
  const [first, second] = [await aListWith(workspace, [goldOf(1)]), await aListWith(workspace, [goldOf(2, "second")])];
  const segment = await segmentsOf(workspace).create(gold);
  const broadcasts = broadcastsOf(workspace);
  const lists = { contact_list_id: first, more_contact_list_ids: [second] };
  const { id } = await broadcasts.create({ ...lists, segment_id: segment.id });
  await broadcasts.act(id, "send");
  await run(
    `INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
     SELECT workspace, (SELECT n FROM contact_lists WHERE id = ?1), id, email, email_key, 'late', metadata, 0 FROM contacts
      WHERE list = (SELECT n FROM contact_lists WHERE id = ?2)`,
    ...[first, second],
  );
  await runBroadcasts();
  expect((await emailsOf(id)).map(({ subject }) => subject).sort()).toEqual(["News for ", "News for second"]);
});

it("a sample of a segment waits with its members for the winner, which the others get", async () => {
  const workspace = await aWorkspace();
  await aListWith(
    workspace,
    Array.from({ length: 20 }, (_, n) => goldOf(n)),
  );
  const segment = await segmentsOf(workspace).create(gold);
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ segment_id: segment.id, ab_test_pct: 20 });
  const [winner] = [await broadcasts.addVariant(id, "A"), await broadcasts.addVariant(id, "B")];
  await broadcasts.act(id, "send");
  await runBroadcasts();
  expect(await addressesOf(id)).toHaveLength(4);
  expect(await membersOf(id)).toBe(20);
  expect((await broadcasts.act(id, `promote/${winner.id}`)).status).toBe(200);
  await runBroadcasts(Date.now() + 600_000);
  expect(await addressesOf(id)).toEqual(Array.from({ length: 20 }, (_, n) => addressOf(n)).sort());
  expect(await membersOf(id)).toBe(0);
  expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: 20, skipped_count: 0 });
});

it("a sample that is too small for its variants cancels the broadcast before any email", async () => {
  const workspace = await aWorkspace();
  await aListWith(workspace, [goldOf(1)]);
  const segment = await segmentsOf(workspace).create(gold);
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ segment_id: segment.id, ab_test_pct: 20 });
  await broadcasts.addVariant(id, "A");
  await broadcasts.addVariant(id, "B");
  await broadcasts.act(id, "send");
  await runBroadcasts();
  expect(await emailsOf(id)).toEqual([]);
  expect(await broadcasts.read(id)).toMatchObject({ status: "cancelled" });
  expect(await membersOf(id)).toBe(0);
});

it("the audience of a draft is the last count of its segment, and says so", async () => {
  const workspace = await aWorkspace();
  await aListWith(workspace, [goldOf(1), goldOf(2)]);
  const segments = segmentsOf(workspace);
  const segment = await segments.create(gold);
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ segment_id: segment.id });
  const audience = async () => (await broadcasts.api.get(`${broadcasts.path(id)}/audience`)).json<AudienceOut>();
  expect(await audience()).toMatchObject({ eligible: 0, note: expect.stringContaining("not counted yet") });
  await segments.count(segment.id);
  expect(await audience()).toMatchObject({ eligible: 2, sample: 2, note: expect.stringContaining("had 2 people at") });
});

it("a segment must be of the workspace, is forgotten by null, and a broadcast without it cannot start", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const { api, create, path, read, act, expectJson } = broadcastsOf(workspace);
  const foreign = await segmentsOf(other).create(gold);
  const own = await segmentsOf(workspace).create(gold);
  const { id } = await create({ segment_id: own.id });
  for (const unknown of [foreign.id, crypto.randomUUID()]) {
    const body = { name: "N", subject: "S", from_address: workspace.mailbox, text_body: "T", segment_id: unknown };
    expect((await api.post(path(), body)).status).toBe(404);
    expect((await api.call("PATCH", path(id), { segment_id: unknown })).status).toBe(404);
  }
  expect((await api.call("PATCH", path(id), { segment_id: "x" })).status).toBe(422);
  expect((await api.call("DELETE", `/v1/segments/${own.id}`)).status).toBe(204);
  const refused = await expectJson<{ detail: { loc: string[] }[] }>(await act(id, "send"), 422);
  expect(refused.detail.map(({ loc }) => loc.at(-1))).toEqual(["segment_id"]);
  await expectJson(await api.call("PATCH", path(id), { segment_id: null }), 200);
  expect(await read(id)).toMatchObject({ segment_id: null });
});

it("a segment of a scheduled or sending broadcast, or of an automation, is not deleted before they end", async () => {
  const workspace = await aWorkspace();
  await aListWith(workspace, [goldOf(1)]);
  const segments = segmentsOf(workspace);
  const segment = await segments.create(gold);
  const remove = async () => (await segments.api.call("DELETE", `/v1/segments/${segment.id}`)).status;
  const broadcasts = broadcastsOf(workspace);
  const scheduled_at = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await broadcasts.create({ segment_id: segment.id, scheduled_at });
  expect(await remove()).toBe(409);
  await broadcasts.act(id, "send");
  expect(await remove()).toBe(409);
  await runBroadcasts();
  const automations = automationsOf(workspace);
  const automation = await automations.create({
    steps: [{ kind: "branch", when: { not: { segment: segment.id } }, then_steps: [{ kind: "end" }], else_steps: [] }],
  });
  expect(await remove()).toBe(409);
  await automations.act(automation.id, "archive");
  expect(await remove()).toBe(204);
});

it("a broadcast that is cancelled while its members are stored mails none and keeps no member", async () => {
  const workspace = await aWorkspace();
  await aListWith(workspace, [goldOf(1)]);
  const segment = await segmentsOf(workspace).create(gold);
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ segment_id: segment.id });
  await broadcasts.act(id, "send");
  await broadcasts.act(id, "cancel");
  await run(
    `INSERT INTO broadcast_members (broadcast, contact, workspace)
     SELECT b.n, c.n, b.workspace FROM broadcasts b JOIN contacts c ON c.workspace = b.workspace WHERE b.id = ?1`,
    id,
  );
  await runBroadcasts();
  expect(await emailsOf(id)).toEqual([]);
  expect(await membersOf(id)).toBe(0);
});

it("whichever D1 call fails, the members are stored once, none is lost, and each gets one email", {
  timeout: 600_000,
}, async () => {
  const workspace = await aWorkspace();
  // Three pages of people, of whom these pass.
  const passing = [3, 999, 1_000, 1_001, 2_099];
  const contacts = Array.from({ length: 2_100 }, (_, n) => {
    const email = addressOf(String(n).padStart(4, "0"));
    return passing.includes(n) ? { ...goldOf(0), email } : { email };
  });
  await aListWith(workspace, contacts);
  await aListWith(workspace, contacts.slice(900, 1_100));
  const segment = await segmentsOf(workspace).create(gold);
  const broadcasts = broadcastsOf(workspace);
  const expected = passing.map((n) => addressOf(String(n).padStart(4, "0")));
  let calls = 0;
  for (const moment of ["before", "after"] as const) {
    for (let failing = moment === "before" ? 0 : 1; ; failing += byExtent({ quick: 4, full: 1, long: 1 })) {
      const { id } = await broadcasts.create({ segment_id: segment.id });
      await broadcasts.act(id, "send");
      const { bindings, hit } = withFailingCall({ failing, moment });
      const start = Date.now();
      await runOutboxAt(start, bindings, ["broadcast"]).catch(() => {});
      await runBroadcasts(start + 130_000);
      expect(await addressesOf(id), `call ${failing} failed ${moment}`).toEqual(expected);
      expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: passing.length });
      expect(await membersOf(id)).toBe(0);
      if (hit() === null) break;
      calls += 1;
    }
  }
  expect(calls).toBeGreaterThan(byExtent({ quick: 10, full: 40, long: 40 }));
});

/** A condition over a field with a few values and over three lists. */
type Model =
  | { all: Model[] }
  | { any: Model[] }
  | { not: Model }
  | { list: number }
  | { plan: string }
  | { has: boolean };

const { condition: conditions } = fc.letrec<{ condition: Model }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.record({ list: fc.nat(2) }),
    fc.record({ plan: fc.constantFrom("a", "b") }),
    fc.record({ has: fc.boolean() }),
    fc.record({ all: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("condition"), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie("condition") }),
  ),
}));

function toApi(model: Model, lists: readonly string[]): unknown {
  if ("all" in model) return { all: model.all.map((part) => toApi(part, lists)) };
  if ("any" in model) return { any: model.any.map((part) => toApi(part, lists)) };
  if ("not" in model) return { not: toApi(model.not, lists) };
  if ("list" in model) return { list: lists[model.list] };
  if ("plan" in model) return { field: "plan", is: "equals", value: model.plan };
  return { field: "plan", is: model.has ? "exists" : "missing" };
}

interface ModelContact {
  person: number;
  list: number;
  plan: string | null;
  pending: boolean;
}

/** Returns whether a person with these contacts passes. */
function passes(model: Model, contacts: readonly ModelContact[]): boolean {
  if ("all" in model) return !model.all.some((part) => !passes(part, contacts));
  if ("any" in model) return !model.any.every((part) => !passes(part, contacts));
  if ("not" in model) return !passes(model.not, contacts);
  if ("list" in model) return contacts.filter(({ list }) => list === model.list).length > 0;
  const plans = contacts.flatMap(({ plan }) => plan ?? []);
  return "plan" in model ? plans.includes(model.plan) : plans.length > 0 === model.has;
}

it("over random conditions and people, count, contacts and broadcasts agree with a plain loop", {
  timeout: 1_800_000,
}, async () => {
  const contact = fc.record({
    ...{ person: fc.nat(12), list: fc.nat(2) },
    ...{ plan: fc.option(fc.constantFrom("a", "b", "c")), pending: fc.boolean() },
  });
  const inputs = fc.record({
    contacts: fc.uniqueArray(contact, {
      minLength: 1,
      maxLength: 25,
      selector: ({ person, list }) => `${person} ${list}`,
    }),
    condition: conditions,
    chosen: fc.uniqueArray(fc.nat(2), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ contacts, condition, chosen }) => {
      const workspace = await aWorkspace();
      const lists: string[] = [];
      const byAge = [0, 1, 2].flatMap((list) => contacts.filter((one) => one.list === list));
      for (const list of [0, 1, 2]) {
        const own = byAge.filter((one) => one.list === list);
        const rows = own.map(({ person, plan, pending }) => ({
          ...{ email: addressOf(person), name: String(list), pending, metadata: plan === null ? {} : { plan } },
        }));
        lists.push(await aListWith(workspace, rows));
      }
      const found = [...Map.groupBy(byAge, ({ person }) => person)].filter(([, own]) => passes(condition, own));
      const segments = segmentsOf(workspace);
      const segment = await segments.create(toApi(condition, lists));
      expect(await segments.count(segment.id)).toMatchObject({ status: "done", count: found.length });
      const all = found.map(([person]) => addressOf(person)).sort();
      expect((await segments.addresses(segment.id)).found.sort()).toEqual(all);

      const [first, ...more] = chosen.map((list) => lists[list]);
      const broadcasts = broadcastsOf(workspace);
      const { id } = await broadcasts.create({
        ...{ contact_list_id: first ?? null, more_contact_list_ids: more, segment_id: segment.id },
      });
      const { status } = await broadcasts.act(id, "send");
      // 422: the chosen lists have no contact.
      expect(status).toBe(chosen.length > 0 && !contacts.some(({ list }) => chosen.includes(list)) ? 422 : 200);
      if (status === 422) return;
      await runBroadcasts();
      const mailed = found.flatMap(([person, own]) => {
        const inOrder = chosen.length === 0 ? own : chosen.flatMap((list) => own.filter((one) => one.list === list));
        const chosenContact = chosen.length === 0 ? inOrder.find(({ pending }) => !pending) : inOrder[0];
        return chosenContact && !chosenContact.pending ? [`${addressOf(person)} News for ${chosenContact.list}`] : [];
      });
      const emails = (await emailsOf(id)).map(({ email, subject }) => `${email} ${subject}`);
      expect(emails.sort()).toEqual(mailed.sort());
      expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: mailed.length });
    }),
    { numRuns: byExtent({ quick: 15, full: 60, long: 1_000 }) },
  );
});
