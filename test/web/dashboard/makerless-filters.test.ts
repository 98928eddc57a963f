/** The list of filters that forward although it is not known who saved them. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { aFilter } from "../../mailboxes/inbox/filters/support.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, perTest } from "../../support/workspace.ts";

const PATH = "/app/forwarding/filters";
const inbox = perTest(anInbox);
const session = perTest(() => aSession(inbox.workspace));

const shown = async (path = PATH) => {
  const response = await session.get(path);
  return { status: response.status, text: await response.text() };
};

/** Makes a filter that forwards inside, of whose maker nothing is stored unless a value is given. */
async function aMakerless(name: string, changes: { maker?: null; workspace?: number; isActive?: boolean } = {}) {
  const { mailbox, workspaceNumber, mailboxId } = inbox.workspace;
  const { id } = await aFilter(inbox, name, [{ type: "flag" }], { name });
  const { isActive = true, ...more } = changes;
  const forward = { type: "forward", address: mailbox, key: mailbox, workspace: workspaceNumber, ...more } as const;
  await env.MAILBOX.getByName(mailboxId).updateFilter(id, { actions: [forward], isActive, maker: null });
  return id;
}

it("has the filters of before and those that the mailbox saved, with links to them, until a person saves them", async () => {
  const { mailboxId, mailbox } = inbox.workspace;
  const [old, own] = [await aMakerless("Old invoices"), await aMakerless("By the mailbox", { maker: null })];
  await aFilter(inbox, "known", [{ type: "forward", address: mailbox }], { name: "Known" });
  const { text } = await shown();
  for (const [id, name] of [
    [old, "Old invoices"],
    [own, "By the mailbox"],
  ])
    expect(text).toContain(`<a href="/mail/filters/${mailboxId}/${id}">${name}</a>`);
  expect(text).not.toContain("Known</a>");
  for (const id of [old, own]) await inbox.json("PATCH", `/filters/${id}`, { name: "Checked" });
  expect((await shown()).text).toContain("None of these mailboxes has such a filter.");
});

it("leaves out filters that are off, that forward nothing or that were made in another workspace", async () => {
  await aMakerless("Off", { isActive: false });
  await aMakerless("Elsewhere", { workspace: -1 });
  await aFilter(inbox, "plain", [{ type: "flag" }], { name: "Plain" });
  expect((await shown()).text).toContain("None of these mailboxes has such a filter.");
});

it("is for owners and admins, whom the page of forwarding rules leads to it, and not for members", async () => {
  await aMakerless("Old invoices");
  expect((await shown("/app/forwarding")).text).toContain(PATH);
  const sessionOf = async (role: "admin" | "member") =>
    aSession({ ...inbox.workspace, ...(await aMember(inbox.workspace, role)) });
  expect((await (await sessionOf("admin")).get(PATH)).status).toBe(200);
  const member = await sessionOf("member");
  const refused = await member.get(PATH);
  expect([refused.status, (await refused.text()).includes("Old invoices")]).toEqual([403, false]);
  expect(await (await member.get("/app/forwarding")).text()).not.toContain(PATH);
});

it("reads fifty mailboxes at a time", async () => {
  const { workspaceNumber, domainId, mailboxId, mailbox } = inbox.workspace;
  await aMakerless("Old invoices");
  const others = Array.from({ length: 50 }, (_, index) => ({ id: crypto.randomUUID(), name: `a${100 + index}` }));
  await database.run(
    `INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, created_at)
       SELECT value->>'id', ?1, ?2, value->>'name', value->>'name' || '@' || ?3, 0 FROM json_each(?4)`,
    [workspaceNumber, domainId, mailbox.split("@")[1], JSON.stringify(others)],
  );
  const first = await shown();
  expect(first.text).toContain("More mailboxes follow");
  const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1] ?? "";
  const last = await shown(next);
  expect(last.text).toContain(mailboxId);
  expect(last.text).not.toContain("Next mailboxes");
});
