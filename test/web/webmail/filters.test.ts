import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { confirmTarget } from "../../mailboxes/forwarding-rules/support.ts";
import { aSession } from "../../support/sessions.ts";
import { apiWith, perTest } from "../../support/workspace.ts";
import { aMailbox, toText, valuesOf } from "./support.ts";

const box = perTest(aMailbox);

const path = (suffix = "") => `/mail/filters/${box.workspace.mailboxId}${suffix}`;
const api = (method: string, suffix: string, body?: unknown) =>
  box.workspace.call(method, `/v1/inbox/${box.workspace.mailboxId}${suffix}`, body);
interface Shown {
  id: string;
  name: string | null;
  match: unknown;
  actions: unknown[];
  is_active: boolean;
}
const listed = async () => (await api("GET", "/filters")).json<Shown[]>();
const row = (index: number, field: string, op: string, value: string): [string, string][] =>
  Object.entries({ field, op, value }).map(([name, text]) => [`condition.${index}.${name}`, text]);
const fill = (...more: [string, string][]): [string, string][] => [
  ...Object.entries({ name: "Bills", mode: "all", place: "in:Archive", is_active: "on", action: "save", forwards: "" }),
  ...row(0, "subject", "contains", "invoice"),
  ...row(1, "from", "contains", ""),
  ...more,
];
const create = async (...more: [string, string][]) => {
  const response = await box.submit(path("/new"), fill(...more));
  expect(response.status, toText(await response.clone().text())).toBe(303);
};

describe("the form of a filter", () => {
  it("creates what the API has, without a script, and shows it again as it was filled in", async () => {
    const { id: label } = await (await api("POST", "/labels", { name: "Money", color: "#000000" })).json<{
      id: string;
    }>();
    await confirmTarget(box.workspace, "friend@example.net");
    await create(
      ...row(2, "size", "over", "1.5 MB"),
      ...row(3, "list_id", "is", "dev.example.org"),
      ...([
        ["label", label],
        ["flag", "on"],
        ["mark_read", "on"],
        ["stop", "on"],
      ] as [string, string][]),
      ["forwards", "friend@example.net"],
    );
    const [filter] = await listed();
    expect(filter).toMatchObject({
      name: "Bills",
      is_active: true,
      match: {
        mode: "all",
        conditions: [
          { field: "subject", op: "contains", value: "invoice" },
          { field: "size", op: "over", value: 1_500_000 },
          { field: "list_id", op: "is", value: "dev.example.org" },
        ],
      },
    });
    const form = await box.read(path(`/${filter?.id}`));
    expect(valuesOf(form.html, "condition.1.value")).toEqual(["1500 KB"]);
    expect(form.html).toMatch(/<option value="in:Archive" selected/);
    const again = new URLSearchParams(fill(...row(2, "size", "over", "1500 KB")).map(([name, value]) => [name, value]));
    again.delete("is_active");
    const saved = await box.submit(path(`/${filter?.id}`), [...again]);
    expect(saved.headers.get("Location")).toBe(`${path()}?done=saved`);
    expect(await listed()).toMatchObject([{ is_active: false, actions: [{ type: "move", folder: "Archive" }] }]);
    expect((await box.read(path())).text).toContain("Subject contains “invoice” and Size is larger than 1500 KB");
  });

  it.each<[string, [string, string][], string]>([
    ["no condition", row(0, "subject", "contains", " "), "Fill in at least one condition"],
    ["a size that is a text", row(0, "size", "over", "large"), "such as 500 KB"],
    ["a text that is larger", row(0, "subject", "over", "5"), "contains"],
    ["no action", [["place", ""]], "Choose at least one action"],
    ["an unknown folder", [["place", "in:Nowhere"]], "folder of this mailbox"],
    ["no address", [["forwards", "nonsense"]], "valid email address"],
  ])("is refused for %s, and keeps what was filled in", async (_, changes, message) => {
    const names = new Set(changes.map(([name]) => name));
    const fields = [...fill().filter(([name]) => !names.has(name)), ...changes];
    const refused = await box.submit(path("/new"), fields);
    const html = await refused.text();
    expect([refused.status, toText(html)]).toEqual([422, expect.stringContaining(message)]);
    expect(valuesOf(html, "name")).toEqual(["Bills"]);
    expect(await listed()).toEqual([]);
  });

  it("is opened from a message with its sender", async () => {
    await box.receive({ From: "Ada <ada@example.org>" });
    const { html } = await box.read(box.path("/INBOX/1"));
    const link = `${path("/new")}?from=ada%40example.org`;
    expect(html).toContain(`href="${link}"`);
    expect(valuesOf((await box.read(link)).html, "condition.0.value")).toEqual(["ada@example.org"]);
  });

  it("of an unknown filter is not found", async () => {
    for (const id of [crypto.randomUUID(), "nonsense"]) {
      expect((await box.page.get(path(`/${id}`))).status).toBe(404);
      expect((await box.submit(path(`/${id}`), fill())).status).toBe(404);
    }
  });
});

describe("the page of the filters", () => {
  it("changes their order, turns them off and on, and deletes them", async () => {
    for (const name of ["One", "Two", "Three"]) {
      const fields = fill().map(([key, value]): [string, string] => [key, key === "name" ? name : value]);
      expect((await box.submit(path("/new"), fields)).status).toBe(303);
    }
    const act = async (name: string, action: string) => {
      const id = (await listed()).find((filter) => filter.name === name)?.id ?? "";
      const done = await box.page.post(path(), { filter_id: id, action });
      expect(done.status).toBe(303);
      return (await listed()).map((filter) => `${filter.name}${filter.is_active ? "" : " off"}`);
    };
    expect(await act("Three", "up")).toEqual(["One", "Three", "Two"]);
    expect(await act("One", "up")).toEqual(["One", "Three", "Two"]);
    expect(await act("One", "down")).toEqual(["Three", "One", "Two"]);
    expect(await act("One", "off")).toEqual(["Three", "One off", "Two"]);
    expect((await box.read(path())).text).toContain("One (off)");
    expect(await act("One", "on")).toEqual(["Three", "One", "Two"]);
    expect(await act("Three", "delete")).toEqual(["One", "Two"]);
    expect((await box.page.post(path(), { filter_id: crypto.randomUUID(), action: "up" })).status).toBe(404);
    expect((await box.page.post(path(), { filter_id: "", action: "nonsense" })).status).toBe(400);
  });

  it("applies them to a folder and shows the progress", async () => {
    await box.receive({ Subject: "Invoice" });
    await box.receive({ Subject: "Hello" });
    await create();
    expect((await box.page.post(path(), { action: "run", folder: "Nowhere" })).status).toBe(404);
    const started = await box.page.post(path(), { action: "run", folder: "INBOX" });
    expect(started.headers.get("Location")).toBe(`${path()}?done=started`);
    const store = env.MAILBOX.getByName(box.workspace.mailboxId);
    while ((await store.filterRun())?.status === "running") await runDurableObjectAlarm(store);
    expect((await box.read(path())).text).toContain("2 of 2 messages compared, 1 changed");
    expect(await box.list("Archive")).toMatchObject([{ subject: "Invoice" }]);
  });
});

describe("the page of the aliases", () => {
  const aliases = () => `/mail/aliases/${box.workspace.mailboxId}`;
  const add = () => ({ address: `sales@${box.workspace.domain}`, action: "add" });

  it("lists them for a session of the mailbox, which cannot change them", async () => {
    expect((await box.read(aliases())).text).toContain("This mailbox has no aliases.");
    await box.workspace.post(`/v1/mailboxes/${box.workspace.mailboxId}/aliases`, { address: add().address });
    const { text, html } = await box.read(aliases());
    expect(text).toContain(add().address);
    expect(html).not.toContain('name="alias_id"');
    expect((await box.page.post(aliases(), add())).status).toBe(403);
  });

  it("adds and deletes them for an owner, and says why one is refused", async () => {
    const owner = await aSession(box.workspace);
    const post = (fields: Record<string, string>) =>
      owner.post(aliases(), `${new URLSearchParams(fields)}`, { "Content-Type": "application/x-www-form-urlencoded" });
    expect((await post(add())).headers.get("Location")).toBe(`${aliases()}?done=added`);
    const refused = await post({ ...add(), address: "sales@elsewhere.example" });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining("sales@elsewhere.example")]);
    expect((await post(add())).status).toBe(409);
    const [id = ""] = valuesOf(await (await owner.get(aliases())).text(), "alias_id");
    expect((await post({ action: "delete", alias_id: id })).headers.get("Location")).toBe(`${aliases()}?done=deleted`);
    expect((await post({ action: "delete", alias_id: id })).status).toBe(404);
    expect((await apiWith(null).get(aliases())).status).toBe(303);
  });
});
