import fc from "fast-check";
import { expect, it } from "vitest";
import type { AudienceOut } from "../../../src/audience/broadcasts/report-schema.ts";
import { MAIL_BINDING, mail } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { type FailureInjection, failingDatabase, seeded } from "../../support/failures.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts, suppress } from "./support.ts";

const addressOf = (person: number) => `delivered+${person}@simulator.test`;

/** Inserts a list with a contact for each person, named after the list. Returns its id. */
async function aListOf(workspace: TestWorkspace, name: string, persons: readonly number[]): Promise<string> {
  const id = await aContactList(workspace, 0);
  const contacts = persons.map((person) => ({ id: testContext().newId(), email: addressOf(person), name }));
  await run(
    `INSERT INTO contacts (workspace, list, id, email, email_key, name, created_at)
     SELECT ?1, l.n, j.value->>'id', j.value->>'email', j.value->>'email', j.value->>'name', 0
       FROM json_each(?3) j JOIN contact_lists l ON l.workspace = ?1 AND l.id = ?2`,
    workspace.workspaceNumber,
    id,
    JSON.stringify(contacts),
  );
  await run("UPDATE contact_lists SET contact_count = ?2 WHERE id = ?1", id, persons.length);
  return id;
}

const deleteContact = (list: string, person: number) =>
  run(
    "DELETE FROM contacts WHERE email_key = ?2 AND list = (SELECT n FROM contact_lists WHERE id = ?1)",
    list,
    addressOf(person),
  );

it("a person in several lists gets a broadcast once, as a contact of the first", async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const lists = [
    await aListOf(workspace, "first", [1, 2, 3]),
    await aListOf(workspace, "second", [2, 4, 5]),
    await aListOf(workspace, "third", [5, 1, 6, 7]),
  ];
  await suppress(workspace, [addressOf(2), addressOf(7)]);
  await run(
    "UPDATE contacts SET suppressed = 'bounce' WHERE workspace = ?1 AND email_key IN (?2, ?3)",
    ...[workspace.workspaceNumber, addressOf(2), addressOf(7)],
  );
  const [contact_list_id, ...more_contact_list_ids] = lists;
  const created = await broadcasts.create({ contact_list_id, more_contact_list_ids });
  expect(created).toMatchObject({ contact_list_id, more_contact_list_ids });
  const audience = async () =>
    (await broadcasts.api.get(`${broadcasts.path(created.id)}/audience`)).json<AudienceOut>();
  const expected = {
    eligible: 5,
    skipped: { suppressed: 2, unsubscribed: 0, invalid: 0, pending: 0 },
    sample: 5,
    remainder: 0,
  };
  expect(await audience()).toEqual(expected);

  await broadcasts.act(created.id, "send");
  await runBroadcasts();
  const emails = await emailsOf(created.id);
  expect(emails.map(({ email, subject }) => [email, subject]).sort()).toEqual([
    [addressOf(1), "News for first"],
    [addressOf(3), "News for first"],
    [addressOf(4), "News for second"],
    [addressOf(5), "News for second"],
    [addressOf(6), "News for third"],
  ]);
  expect(await broadcasts.read(created.id)).toMatchObject({ status: "sent", recipient_count: 5, skipped_count: 0 });
  expect(await audience()).toEqual(expected);
});

it("over random lists, kills and deletions nobody gets a broadcast to several lists twice", {
  timeout: 1_800_000,
}, async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const inputs = fc.record({
    lists: fc.array(fc.uniqueArray(fc.nat(30), { minLength: 1, maxLength: 25 }), { minLength: 2, maxLength: 4 }),
    pct: fc.option(fc.integer({ min: 20, max: 90 })),
    removed: fc.array(fc.record({ list: fc.nat(3), person: fc.nat(30) }), { maxLength: 5 }),
    seed: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ lists, pct, removed, seed }) => {
      const ids: string[] = [];
      for (const [index, persons] of lists.entries()) ids.push(await aListOf(workspace, `list ${index}`, persons));
      const [contact_list_id, ...more_contact_list_ids] = ids;
      const { id } = await broadcasts.create({ contact_list_id, more_contact_list_ids, ab_test_pct: pct });
      const variants = pct === null ? [] : [await broadcasts.addVariant(id, "A"), await broadcasts.addVariant(id, "B")];
      const { status } = await broadcasts.act(id, "send");
      // 422: the sample has no contact for each variant.
      fc.pre(status === 200);
      const injection: FailureInjection = {
        ...{ random: seeded(seed), chance: 0.3, count: 0 },
        ...{ bindings: ["database"], moments: ["before", "after"] },
      };
      const killing = { [MAIL_BINDING]: failingDatabase(mail, injection) };
      const start = Date.now();
      for (let turn = 0; turn < 5; turn++)
        await runOutboxAt(start + turn * 130_000, killing, ["broadcast"]).catch(() => {});
      const begun = start + 5 * 130_000;
      await runBroadcasts(begun);
      for (const { list, person } of removed) {
        const from = ids[list];
        if (from) await deleteContact(from, person);
      }
      const [winner] = variants;
      if (winner) {
        expect((await broadcasts.act(id, `promote/${winner.id}`)).status).toBe(200);
        await runBroadcasts(begun + 600_000);
      }
      const emails = (await emailsOf(id)).map(({ email }) => email);
      expect(new Set(emails).size).toBe(emails.length);
      const persons = new Set(lists.flat());
      // A person is mailed as a contact of the first list that names them, if that was not deleted before.
      const mayLack = removed.filter(({ list, person }) => lists.findIndex((own) => own.includes(person)) === list);
      const required = [...persons].filter((person) => !mayLack.some((one) => one.person === person)).map(addressOf);
      expect(new Set([...required, ...emails])).toEqual(new Set(emails));
      expect(emails.filter((email) => ![...persons].map(addressOf).includes(email))).toEqual([]);
      expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: persons.size });
    }),
    { numRuns: byExtent({ quick: 5, full: 20, long: 300 }) },
  );
});

it("a broadcast names lists of its workspace only, at most nine more, and forgets them by null", async () => {
  const [workspace, other] = [await aWorkspace(), await aWorkspace()];
  const { api, create, path, expectJson, read } = broadcastsOf(workspace);
  const own = await aContactList(workspace, 1);
  const body = { name: "N", subject: "S", from_address: workspace.mailbox, text_body: "T", contact_list_id: own };
  const post = (more_contact_list_ids: unknown) => api.post(path(), { ...body, more_contact_list_ids });
  for (const more of [[await aContactList(other, 1)], [testContext().newId()]])
    expect((await post(more)).status, JSON.stringify(more)).toBe(404);
  for (const more of [["x"], Array.from({ length: 10 }, () => own), own])
    expect((await post(more)).status, JSON.stringify(more)).toBe(422);

  const { id } = await create({ contact_list_id: own, more_contact_list_ids: [own] });
  const second = await aContactList(workspace, 1);
  await expectJson(await api.call("PATCH", path(id), { more_contact_list_ids: [second] }), 200);
  expect(await read(id)).toMatchObject({ more_contact_list_ids: [second] });
  await expectJson(await api.call("PATCH", path(id), { more_contact_list_ids: null }), 200);
  expect(await read(id)).toMatchObject({ contact_list_id: own, more_contact_list_ids: [] });
});

it("a list that is deleted before the send is named, and during the send the broadcast is cancelled", async () => {
  const workspace = await aWorkspace();
  const { api, create, act, read } = broadcastsOf(workspace);
  const [first, second] = [await aContactList(workspace, 3), await aListOf(workspace, "second", [1, 5])];
  const lists = { contact_list_id: first, more_contact_list_ids: [second] };
  const [before, during] = [await create(lists), await create(lists)];
  expect((await act(during.id, "send")).status).toBe(200);
  expect((await api.call("DELETE", `/v1/contacts/${second}`)).status).toBe(204);

  const refused = await act(before.id, "send");
  expect(refused.status).toBe(422);
  expect(await refused.text()).toContain("does not exist any more");
  await runBroadcasts();
  expect(await read(during.id)).toMatchObject({ status: "cancelled", queued_count: 0 });
});
