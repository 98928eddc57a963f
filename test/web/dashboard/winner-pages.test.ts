import { describe, expect, it } from "vitest";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages that ask before an A/B test is sent and before its winner goes to everybody else. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));

/** The text of a page, without its elements. */
const shown = async (response: Response) => (await response.text()).replace(/<[^>]*>/g, "").replaceAll("&quot;", '"');
const shownAt = async (path: string) => shown(await session.get(path));
const keyOf = (html: string) => ({ idempotency_key: /name="idempotency_key" value="([^"]+)"/.exec(html)?.[1] ?? "" });

/** A broadcast to 99 contacts with a sample of 20 %, and variants A and B with weights 2 and 1. */
async function aTest(contacts = 99) {
  const broadcasts = broadcastsOf(workspace);
  const list = await aContactList(workspace, contacts);
  const { id } = await broadcasts.create({ contact_list_id: list, ab_test_pct: 20 });
  const a = await broadcasts.addVariant(id, "A", { weight: 2 });
  const b = await broadcasts.addVariant(id, "B");
  const path = `/app/broadcasts/${id}`;
  return { broadcasts, id, a, b, path, promote: `${path}/promote/${b.id}` };
}

async function aSentTest() {
  const test = await aTest();
  await test.broadcasts.act(test.id, "send");
  await runBroadcasts();
  expect((await test.broadcasts.read(test.id)).status).toBe("sent");
  return test;
}

describe("the page before a send", () => {
  it("says who gets which variant now and who waits, in the sizes that the send then has", async () => {
    const { broadcasts, id, path } = await aTest();
    const text = await shownAt(`${path}/review`);
    expect(text).toContain("20 get a variant now; 79 wait for your winner.");
    expect(text).toMatch(/13 % A \(13\)\s*7 % B \(7\)\s*80 % waiting \(79\)/);
    await broadcasts.act(id, "send");
    await runBroadcasts();
    expect((await broadcasts.variants(id)).map(({ recipient_count }) => recipient_count)).toEqual([13, 7]);
    expect(await emailsOf(id)).toHaveLength(20);
  });

  it("says that no contact waits when the whole list gets its variants at once, or a test has one variant only", async () => {
    const broadcasts = broadcastsOf(workspace);
    const contact_list_id = await aContactList(workspace, 11);
    const { id } = await broadcasts.create({ contact_list_id });
    const path = `/app/broadcasts/${id}/review`;
    expect(await shownAt(path)).toContain("11 contacts get it.");
    await broadcasts.addVariant(id, "A");
    await broadcasts.addVariant(id, "B");
    expect(await shownAt(path)).toMatch(/11 get a variant now\. No contact waits.*55 % A \(6\)\s*45 % B \(5\)/s);
    const single = await broadcasts.create({ contact_list_id, ab_test_pct: 20 });
    await broadcasts.addVariant(single.id, "A");
    expect(await shownAt(`/app/broadcasts/${single.id}/review`)).toContain("11 get a variant now. No contact waits");
  });
});

describe("the promotion of a winner", () => {
  it("asks first, with the numbers of the audience, and can be cancelled", async () => {
    const { broadcasts, id, path, promote } = await aSentTest();
    const page = await (await session.get(path)).text();
    expect(page).toContain(`<a href="${promote}">Promote B</a>`);
    expect(page).not.toMatch(/<form[^>]*promote/);
    expect(page).toContain("20 have a variant; 79 wait for your winner.");
    const audience = await (await broadcasts.api.get(`/v1/broadcasts/${id}/audience`)).json();
    expect(audience).toMatchObject({ sample: 20, remainder: 79 });
    const response = await session.get(promote);
    const html = await response.clone().text();
    expect(response.status).toBe(200);
    expect(await shown(response)).toContain(
      '79 contacts who are not in the sample of 20 get the variant B, "Subject B".',
    );
    expect(html).toMatch(new RegExp(`href="${path}">\\s*Cancel`));
    await runBroadcasts();
    expect((await broadcasts.read(id)).ab_promoted_at).toBeNull();
    expect(await emailsOf(id)).toHaveLength(20);
  });

  it("says no longer who waits once everybody has the winner", async () => {
    const { id, broadcasts, path, b } = await aSentTest();
    await broadcasts.act(id, `promote/${b.id}`);
    await runBroadcasts();
    expect(await shownAt(path)).not.toContain("wait for your winner");
  });

  it("mails the remainder once, although its form is sent twice at once", async () => {
    const { broadcasts, id, path, promote } = await aSentTest();
    const form = keyOf(await (await session.get(promote)).text());
    const responses = await Promise.all([submit(session, promote, form), submit(session, promote, form)]);
    for (const result of responses) expect(result.headers.get("Location")).toBe(`${path}?done=promoted`);
    await runBroadcasts();
    const emails = await emailsOf(id);
    expect(emails).toHaveLength(99);
    expect(new Set(emails.map(({ contact }) => contact)).size).toBe(99);
    expect((await broadcasts.variants(id)).map(({ recipient_count }) => recipient_count)).toEqual([13, 86]);
  });

  it("by a form of one click, as the page had it before, mails nothing and says why", async () => {
    const { id, promote } = await aSentTest();
    const response = await submit(session, promote);
    expect(response.status).toBe(422);
    expect(await shown(response)).toContain("load the page again");
    await runBroadcasts();
    expect(await emailsOf(id)).toHaveLength(20);
  });

  it("of a test that changed meanwhile says what happened, before and after the question", async () => {
    const { broadcasts, id, a, promote } = await aSentTest();
    const form = keyOf(await (await session.get(promote)).text());
    expect((await broadcasts.act(id, `promote/${a.id}`)).status).toBe(200);
    for (const response of [await session.get(promote), await submit(session, promote, form)]) {
      expect(response.status).toBe(409);
      expect(await shown(response)).toContain("A variant of this broadcast was promoted already.");
    }
    await runBroadcasts();
    expect((await broadcasts.variants(id)).map(({ recipient_count }) => recipient_count)).toEqual([92, 7]);
  });

  it("is refused while the sample is being sent, for a variant that does not exist, and in another workspace", async () => {
    const { broadcasts, id, path, promote } = await aTest();
    const draft = await session.get(promote);
    expect([draft.status, await shown(draft)]).toEqual([409, expect.stringContaining("cannot be promoted")]);
    await broadcasts.act(id, "send");
    const sending = await session.get(promote);
    expect([sending.status, await shown(sending)]).toEqual([409, expect.stringContaining("cannot be promoted")]);
    expect((await session.get(`${path}/promote/${crypto.randomUUID()}`)).status).toBe(404);
    const other = await aSession(await aWorkspace());
    expect((await other.get(promote)).status).toBe(404);
  });
});

describe("the page of a broadcast", () => {
  it("is read again while its sample waits for a winner, and until a day after everybody has it", async () => {
    const { id, broadcasts, path, b } = await aSentTest();
    const isPolled = async () => (await (await session.get(path)).text()).includes("data-poll");
    expect(await isPolled()).toBe(true);
    await broadcasts.act(id, `promote/${b.id}`);
    await runBroadcasts();
    expect((await broadcasts.read(id)).status).toBe("sent");
    expect(await isPolled()).toBe(true);
    await database.run("UPDATE broadcasts SET sent_at = ?1 WHERE id = ?2", [Date.now() - 86_400_001, id]);
    expect(await isPolled()).toBe(false);
  });

  it("offers no promotion when a test with one variant was sent to all", async () => {
    const broadcasts = broadcastsOf(workspace);
    const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 3), ab_test_pct: 20 });
    await broadcasts.addVariant(id, "A");
    await broadcasts.act(id, "send");
    await runBroadcasts();
    const page = await (await session.get(`/app/broadcasts/${id}`)).text();
    expect(page).toContain("Results");
    expect(page).not.toContain("Promote");
  });
});
