import { expect, it } from "vitest";
import { aContactList, broadcastsOf, runBroadcasts } from "../../audience/broadcasts/support.ts";
import { aListWith } from "../../audience/segments/support.ts";
import { aSession } from "../../support/sessions.ts";
import { aWorkspace, perTest } from "../../support/workspace.ts";
import { submit } from "./support.ts";

/** The pages of a broadcast after its send: who left, and a copy. */

const workspace = perTest(aWorkspace);
const session = perTest(() => aSession(workspace));
const broadcasts = perTest(() => broadcastsOf(workspace));

const textOf = async (path: string) => (await session.get(path)).text();
const shown = (html: string) => html.replace(/<[^>]*>/g, "");

it("the page of a broadcast counts who left, and leads to their list", async () => {
  const people = ["complained@simulator.test", "delivered@simulator.test"].map((email) => ({ email }));
  const { id } = await broadcasts.create({ contact_list_id: await aListWith(workspace, people) });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const page = await textOf(`/app/broadcasts/${id}`);
  expect(shown(page)).toMatch(/Unsubscribed\s*0 \(0\.0 %\)\s*Marked as spam\s*1 \(50\.0 %\)/);
  const left = `/app/broadcasts/${id}/recipients?activity=left`;
  expect(page).toContain(`href="${left}"`);
  const list = await textOf(left);
  expect(list).toContain("complained@simulator.test");
  expect(list).not.toContain("delivered@simulator.test");
  expect(shown(await textOf(`/app/broadcasts/${id}/recipients?activity=opened`))).toContain("Nobody so far.");
  expect(await textOf(`/app/broadcasts/${id}/recipients`)).toContain("delivered@simulator.test");
});

it("the recipients of a broadcast come in pages", async () => {
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 60) });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const found = new Set<string>();
  let next: string | undefined = `/app/broadcasts/${id}/recipients`;
  for (; next; next = /href="([^"]*after=\d+)"/.exec(await textOf(next))?.[1]?.replace("&amp;", "&"))
    for (const [, name = ""] of (await textOf(next)).matchAll(/>(Person \d+)</g)) found.add(name);
  expect(found.size).toBe(60);
});

it("the button copies a broadcast once for each key, and opens the copy at its first step", async () => {
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, 1) });
  await broadcasts.act(id, "send");
  await runBroadcasts();
  const page = await textOf(`/app/broadcasts/${id}`);
  const idempotency_key =
    new RegExp(`/${id}/copy".*?name="idempotency_key" value="([^"]+)"`, "s").exec(page)?.[1] ?? "";
  const copy = async () =>
    (await submit(session, `/app/broadcasts/${id}/copy`, { idempotency_key })).headers.get("Location") ?? "";
  const path = await copy();
  expect(path).toMatch(/\/audience\?done=copied$/);
  expect(await copy()).toBe(path);
  expect(await textOf(path)).toContain('value="Newsletter (copy)"');
});
