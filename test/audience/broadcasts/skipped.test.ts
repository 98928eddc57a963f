import { expect, it } from "vitest";
import type { SkippedOut } from "../../../src/audience/broadcasts/report-schema.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aTopic, personOf } from "../../support/topics.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, insertContacts, runBroadcasts, suppress } from "./support.ts";

const workspace = perTest(aWorkspace);
const broadcasts = perTest(() => broadcastsOf(workspace));
const addressOf = (n: number) => `delivered+${n}@simulator.test`;

/** Returns the skipped contacts of a broadcast, page by page of two. */
async function skippedOf(id: string, query = ""): Promise<SkippedOut[]> {
  const all: SkippedOut[] = [];
  for (let next: string | undefined = `${broadcasts.path(id)}/skipped?limit=2${query}`; next !== undefined; ) {
    const response: Response = await workspace.get(next);
    expect(response.status, await response.clone().text()).toBe(200);
    all.push(...(await response.json<SkippedOut[]>()));
    next = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
  }
  return all;
}
const told = (skipped: readonly SkippedOut[]) =>
  skipped.map(({ email, reason, cause }) => `${email} ${reason} ${cause}`);

const NUMBER = "(SELECT n FROM contact_lists WHERE id = ?1)";

/** Sends a broadcast to nine contacts, of whom one gets it: the others have all reasons to be skipped. */
async function aBroadcast() {
  const list = await aContactList(workspace, 9);
  const more = await aContactList(workspace, 1);
  const { id: topic } = await aTopic(workspace);
  await suppress(workspace, [addressOf(1)], "bounce");
  await suppress(workspace, [addressOf(2)], "complaint");
  await suppress(workspace, [addressOf(3)], "unsubscribe");
  await personOf(workspace, addressOf(4)).choose(topic, "unsubscribed");
  await database.run(
    `INSERT INTO soft_bounces (workspace, email, email_ids, is_refusal, first_at, last_at, listed_at) VALUES (?1, ?2, '[]', 0, 0, 0, 1)`,
    [workspace.workspaceNumber, addressOf(5)],
  );
  await database.run(`UPDATE contacts SET pending_since = 1 WHERE email = '${addressOf(6)}' AND list = ${NUMBER}`, [
    list,
  ]);
  const body = { contact_list_id: list, more_contact_list_ids: [more], topic_id: topic };
  const { id } = await broadcasts.create(body);
  await broadcasts.act(id, "send");
  return { id, list };
}

it("a broadcast lists whom it skipped with the reason of each, searchable by reason and address", async () => {
  const { id, list } = await aBroadcast();
  await runBroadcasts();
  const all = await skippedOf(id);
  expect(told(all)).toEqual([
    `${addressOf(1)} suppressed bounce`,
    `${addressOf(2)} suppressed complaint`,
    `${addressOf(3)} unsubscribed unsubscribe`,
    `${addressOf(4)} unsubscribed topic`,
    `${addressOf(5)} suppressed soft_bounces`,
    `${addressOf(6)} pending null`,
    `${addressOf(0)} repeated null`,
  ]);
  expect(all[0]).toMatchObject({ list_id: list, name: "Person 1" });
  expect(told(await skippedOf(id, "&reason=unsubscribed"))).toHaveLength(2);
  expect(told(await skippedOf(id, `&q=${encodeURIComponent(addressOf(4).toUpperCase())}`))).toEqual([
    `${addressOf(4)} unsubscribed topic`,
  ]);
  expect(told(await skippedOf(id, "&q=ED%2B0&reason=repeated"))).toEqual([`${addressOf(0)} repeated null`]);
  expect(await skippedOf(id, "&q=nobody")).toEqual([]);
  // The address of a deleted contact is gone, its reason stays.
  await database.run(`DELETE FROM contacts WHERE email = '${addressOf(1)}'`);
  expect((await skippedOf(id))[0]).toMatchObject({ email: null, contact_id: null, reason: "suppressed" });
});

it("the figures of its page agree with the list, and count those who were deleted before their email was made", async () => {
  const list = await aContactList(workspace, 6);
  await suppress(workspace, [addressOf(1)], "manual");
  const variants = ["A", "B"];
  const { id } = await broadcasts.create({ contact_list_id: list, ab_test_pct: 40 });
  const [first] = await Promise.all(variants.map((label) => broadcasts.addVariant(id, label)));
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const mailed = (await broadcasts.recipients(id)).map(({ email }) => email);
  const rest = [0, 2, 3, 4, 5].map(addressOf).filter((email) => !mailed.includes(email));
  expect(rest).toHaveLength(3);
  await suppress(workspace, [rest[0] ?? ""], "unsubscribe");
  await database.run("DELETE FROM contacts WHERE email = ?1", [rest[1] ?? ""]);
  expect((await broadcasts.api.post(`${broadcasts.path(id)}/promote/${first?.id}`, undefined)).status).toBe(200);
  await runBroadcasts();
  expect(told(await skippedOf(id)).toSorted()).toEqual(
    [`${addressOf(1)} suppressed manual`, `${rest[0]} unsubscribed unsubscribe`].toSorted(),
  );
  const session = await aSession(workspace);
  const page = await (await session.get(`/app/broadcasts/${id}`)).text();
  expect(page).toContain(`<a href="/app/broadcasts/${id}/skipped">3</a>`);
  const shown = await (await session.get(`/app/broadcasts/${id}/skipped`)).text();
  for (const text of ["1 other contact got no email", "Suppressed (1)", "Unsubscribed (1)", "Pending (0)"])
    expect(shown).toContain(text);
  expect(shown).toContain("The address was suppressed by hand");
  const filtered = await (
    await session.get(`/app/broadcasts/${id}/skipped?reason=unsubscribed&q=${encodeURIComponent(rest[0] ?? "")}`)
  ).text();
  expect(filtered).toContain("The address has unsubscribed");
  expect(filtered).not.toContain(addressOf(1));
});

it("a search reads at most 10,000 skipped contacts and continues, and a whole address is found at once", async () => {
  const list = await aContactList(workspace, 1);
  const { id } = await broadcasts.create({ contact_list_id: list });
  const [row] = await database.rows<{ n: number }>(`SELECT ${NUMBER} AS n`, [list]);
  await insertContacts(workspace.workspaceNumber, row?.n ?? 0, 1, 12_001);
  await database.run(
    `INSERT INTO broadcast_skipped (broadcast, contact, workspace, reason)
     SELECT b.n, c.n, b.workspace, 'suppressed' FROM broadcasts b JOIN contacts c ON c.list = ${NUMBER} WHERE b.id = ?2`,
    [list, id],
  );
  const first = await workspace.get(`${broadcasts.path(id)}/skipped?q=${encodeURIComponent("+12000@")}`);
  expect(await first.json()).toEqual([]);
  expect(first.headers.get("Link")).toContain("after=");
  expect(told(await skippedOf(id, `&q=${encodeURIComponent("+12000@")}`))).toEqual([
    `${addressOf(12_000)} suppressed null`,
  ]);
  const whole = await workspace.get(`${broadcasts.path(id)}/skipped?q=${encodeURIComponent(addressOf(12_000))}`);
  expect(await whole.json()).toHaveLength(1);
});
