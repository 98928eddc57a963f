/** The page of everything that forwards mail of a workspace. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { arrive } from "../../mailboxes/forwards/support.ts";
import { aRawMessage } from "../../mailboxes/inbound/support.ts";
import { aFilter } from "../../mailboxes/inbox/filters/support.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { database } from "../../support/databases.ts";
import { aSession } from "../../support/sessions.ts";
import { aMember, perTest } from "../../support/workspace.ts";

const PATH = "/app/forwarding/all";
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

/** Returns the cells of the rows of the page as text, without the last one, which has the button. */
async function rowsOf(path = PATH): Promise<string[][]> {
  const { text } = await shown(path);
  const rows = text.match(/<tr[^>]*>.*?<\/tr>/gs)?.slice(1) ?? [];
  return rows.map((row) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)]
      .map(([, cell = ""]) => cell.replace(/<[^>]+>/g, "").trim())
      .slice(0, -1),
  );
}

it("has every rule and every filter that forwards, with who saved it and whether it forwards now", async () => {
  const { mailboxId, mailbox, domain } = inbox.workspace;
  const email = `owner@${domain}`;
  await aMakerless("Old invoices");
  const { id } = await aFilter(inbox, "known", [{ type: "forward", address: mailbox }], { name: "Known" });
  const { id: rule } = await inbox.workspace.create("/v1/forwarding-rules/", {
    domain_id: inbox.workspace.domainId,
    action: { type: "mailbox", target: mailboxId },
  });
  await database.run("UPDATE forwarding_rules SET position = 3 WHERE id = ?1", [rule]);
  expect(await rowsOf()).toEqual([
    ["Rule 3", `all of ${domain}`, mailbox, "Active", email, "Not stored"],
    ["Old invoices", mailbox, mailbox, "Active", "Not known", "Never"],
    ["Known", mailbox, mailbox, "Active", email, "Never"],
  ]);
  expect((await shown()).text).toContain(`<a href="/mail/filters/${mailboxId}/${id}">Known</a>`);
  await inbox.workspace.call("PATCH", `/v1/forwarding-rules/${rule}`, { is_active: false });
  await database.run("UPDATE users SET email = 'gone@example.org' WHERE email = ?1", [email]);
  expect((await rowsOf())[0]).toEqual(["Rule 3", `all of ${domain}`, mailbox, "Off", "gone@example.org", "Not stored"]);
});

it("shows a filter that ended with the right of its maker as one that does not forward", async () => {
  const { mailbox, mailboxId } = inbox.workspace;
  const admin = await aMember(inbox.workspace, "admin");
  await admin.create(`/v1/inbox/${mailboxId}/filters`, {
    name: "Of an admin",
    match: { conditions: [{ field: "size", op: "over", value: 1 }] },
    actions: [{ type: "forward", address: mailbox }],
  });
  const row = async () => (await rowsOf()).at(-1)?.slice(3, 5);
  expect(await row()).toEqual(["Active", admin.email]);
  await inbox.workspace.call("DELETE", `/v1/workspaces/${inbox.workspace.workspaceId}/members/${admin.userId}`);
  expect(await row()).toEqual(["Does not forward", admin.email]);
});

it("shows when a filter last took a message to forward, and not that it matched one that it does not forward", async () => {
  const { mailbox } = inbox.workspace;
  await aFilter(inbox, "invoice", [{ type: "forward", address: mailbox }], { name: "Invoices" });
  const lastUse = async () => (await rowsOf()).at(-1)?.at(-1);
  await arrive(mailbox, aRawMessage({ Subject: "Another matter" }));
  expect(await lastUse()).toBe("Never");
  await arrive(mailbox, aRawMessage({ Subject: "Your invoice" }), { isAuthentic: true });
  expect(await lastUse()).not.toBe("Never");
});

it("ends the forwards of a filter and keeps what else it does, and deletes one that only forwards", async () => {
  const { mailbox, mailboxId } = inbox.workspace;
  const forward = { type: "forward" as const, address: mailbox };
  const both = await aFilter(inbox, "both", [{ type: "flag" }, forward], { name: "Both" });
  const only = await aFilter(inbox, "only", [forward, { type: "stop" }], { name: "Only" });
  for (const { id } of [both, only]) {
    const path = `/app/forwarding/filters/${mailboxId}/${id}/end`;
    expect((await shown()).text).toContain(path);
    const ended = await session.post(path, "", { "Content-Type": "application/x-www-form-urlencoded" });
    expect(ended.headers.get("Location")).toBe(`${PATH}?done=ended`);
  }
  expect((await shown()).text).toContain("No mail of these mailboxes is forwarded.");
  const filters = await inbox.json<{ id: string; actions: object[] }[]>("GET", "/filters");
  expect(filters.map(({ id, actions }) => [id, actions])).toEqual([[both.id, [{ type: "flag" }]]]);
  const entries = await (await session.get("/v1/audit")).json<{ action: string; detail: object }[]>();
  expect(entries.filter(({ action }) => action === "mailbox.filter_ended")).toMatchObject(
    [only, both].map(({ id }) => ({ detail: { filter: id, forwards: [mailbox] } })),
  );
});

it("leaves out filters that are off, that forward nothing or that were made in another workspace", async () => {
  await aMakerless("Off", { isActive: false });
  await aMakerless("Elsewhere", { workspace: -1 });
  await aFilter(inbox, "plain", [{ type: "flag" }], { name: "Plain" });
  expect((await shown()).text).toContain("No mail of these mailboxes is forwarded.");
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
