import { describe, expect, it } from "vitest";
import { perTest } from "../../support/workspace.ts";
import { aMailbox, toText, valuesOf } from "./support.ts";

const box = perTest(aMailbox);

const subjects = async (folder?: string) => (await box.list(folder)).map(({ subject }) => subject).sort();
const act = (path: string, action: string, uids: readonly (number | string)[], more: [string, string][] = []) =>
  box.submit(path, [["action", action], ...uids.map((uid): [string, string] => ["uid", String(uid)]), ...more]);
/** Opens the page that a form leads to. */
const follow = async (response: Response) => {
  expect(response.status).toBe(303);
  return box.read(response.headers.get("Location") ?? "");
};

describe("messages that were moved", () => {
  it("are moved back by the button of the next page", async () => {
    await box.receive({ Subject: "One" });
    await box.receive({ Subject: "Two" });
    const { html, text } = await follow(await act(box.path("/INBOX"), "delete", [1, 2]));
    expect(text).toContain("2 messages moved to Trash.");
    expect(await subjects("Trash")).toEqual(["One", "Two"]);
    const undo = valuesOf(html, "undo")[0] ?? "";
    const back = await follow(await act(box.path("/INBOX"), "undo", [], [["undo", undo]]));
    expect(back.text).toContain("2 messages moved back.");
    expect(await subjects()).toEqual(["One", "Two"]);
    expect(await subjects("Trash")).toEqual([]);
  });

  it("are not moved again when the button is used twice", async () => {
    await box.receive({ Subject: "One" });
    const { html } = await follow(await act(box.path("/INBOX"), "move:Archive", [1]));
    const undo = valuesOf(html, "undo")[0] ?? "";
    await act(box.path("/INBOX"), "undo", [], [["undo", undo]]);
    const again = await follow(await act(box.path("/INBOX"), "undo", [], [["undo", undo]]));
    expect(again.text).toContain("Nothing was changed.");
    expect(await subjects()).toEqual(["One"]);
  });

  const undo = [
    "",
    "{",
    "[]",
    "[[1]]",
    '[["Trash","move:INBOX","x"]]',
    '[["Trash","move:Nowhere","1"]]',
    '[null,"\u0000"]',
  ];
  it.each([...undo, '[["Trash","expunge","1"]]', '[["Trash","move:INBOX","0"]]'])(
    "stay where they are when the form has %j",
    async (undo) => {
      await box.receive({ Subject: "One" });
      await act(box.path("/INBOX"), "delete", [1]);
      const result = await act(box.path("/INBOX"), "undo", [], [["undo", undo]]);
      expect([303, 422]).toContain(result.status);
      expect(await subjects("Trash")).toEqual(["One"]);
    },
  );
});

describe("messages in Trash", () => {
  it("are deleted for good only after a page has asked", async () => {
    await box.receive({ Subject: "One" });
    await act(box.path("/INBOX"), "delete", [1]);
    const asked = await act(box.path("/Trash"), "delete", [1]);
    const html = await asked.text();
    expect([asked.status, toText(html)]).toEqual([200, expect.stringContaining("This cannot be undone.")]);
    expect(await subjects("Trash")).toEqual(["One"]);
    const places = valuesOf(html, "uid");
    const { text } = await follow(await act(box.path("/Trash"), "delete", places, [["confirmed", "yes"]]));
    expect(text).toContain("1 message deleted for good.");
    expect(text).not.toContain("Undo");
    expect(await subjects("Trash")).toEqual([]);
  });
});

describe("a search in all folders", () => {
  it("finds and changes messages of several folders, and returns to the search", async () => {
    for (const name of ["One", "Two"]) await box.receive({ Subject: name }, "figures\r\n");
    await act(box.path("/INBOX"), "move:Archive", [1]);
    const path = box.path("/INBOX?q=figures&all=1");
    const found = await box.read(path);
    const places = valuesOf(found.html, "uid");
    expect(places.sort()).toEqual(["1:Archive", "2:INBOX"]);
    const after = await follow(await act(path, "delete", places));
    expect(after.text).toContain("2 messages moved to Trash.");
    expect(await subjects("Trash")).toEqual(["One", "Two"]);
    await act(path, "undo", [], [["undo", valuesOf(after.html, "undo")[0] ?? ""]]);
    expect([await subjects("Archive"), await subjects()]).toEqual([["One"], ["Two"]]);
  });
});

describe("labels", () => {
  const create = (name: string, color = "#14693a") =>
    box.submit(`/mail/labels/${box.workspace.mailboxId}`, [
      ["action", "create"],
      ["label_name", name],
      ["color", color],
    ]);
  const labels = async () =>
    (await box.workspace.call("GET", `/v1/inbox/${box.workspace.mailboxId}/labels`)).json<
      { id: string; name: string; color: string }[]
    >();
  const change = (fields: Record<string, string>) =>
    box.submit(`/mail/labels/${box.workspace.mailboxId}`, Object.entries(fields));

  it("are created, given to messages of any folder, listed, and taken away", async () => {
    await follow(await create("Bills"));
    const [label] = await labels();
    for (const name of ["One", "Two", "Three"]) await box.receive({ Subject: name });
    await act(box.path("/INBOX"), "move:Archive", [1]);
    await act(box.path("/Archive"), `label:${label?.id}`, [1]);
    await act(box.path("/INBOX"), `label:${label?.id}`, [2]);
    const view = `/mail/labels/${box.workspace.mailboxId}/${label?.id}`;
    const { html, text } = await box.read(view);
    for (const part of ["One", "Two", "2 messages"]) expect(text).toContain(part);
    expect(text).not.toContain("Three");
    expect(valuesOf(html, "uid").sort()).toEqual(["1:Archive", "2:INBOX"]);
    expect((await follow(await act(view, `unlabel:${label?.id}`, ["1:Archive"]))).text).not.toContain("One");
    const message = await box.read(box.path("/INBOX/2"));
    expect(message.html).toContain('aria-label="Remove the label Bills"');
    const back = await act(box.path("/INBOX"), `unlabel:${label?.id}`, [2], [["at", "2"]]);
    expect(back.headers.get("Location")).toContain(box.path("/INBOX/2?done=unlabel"));
    expect((await box.read(view)).text).toContain("No message has this label");
  });

  it("are renamed, and deleted after a page has asked; their messages stay", async () => {
    await create("Bills");
    const [label] = await labels();
    const id = label?.id ?? "";
    await change({ action: "update", label_id: id, label_name: "Invoices", color: "#a4262c" });
    expect(await labels()).toEqual([{ id, name: "Invoices", color: "#a4262c" }]);
    await box.receive({ Subject: "One" });
    await act(box.path("/INBOX"), `label:${id}`, [1]);
    const asked = await change({ action: "delete", label_id: id });
    expect(toText(await asked.text())).toContain("The messages stay in their folders.");
    expect(await labels()).toHaveLength(1);
    await change({ action: "delete", label_id: id, confirmed: "yes" });
    expect([await labels(), await subjects()]).toEqual([[], ["One"]]);
  });

  it.each([
    ["a name that exists", { label_name: "Bills" }, 409],
    ["no name", { label_name: "" }, 422],
    ["a name with a line end", { label_name: "a\r\nb" }, 422],
    ["no colour", { color: "red" }, 422],
    ["no action", { action: "" }, 400],
  ])("are refused with %s, and the page says why", async (_, wrong, status) => {
    await create("Bills");
    const result = await change({ action: "create", label_name: "New", color: "#14693a", ...wrong });
    expect([result.status, (await result.text()).includes('role="alert"')]).toEqual([status, true]);
    expect(await labels()).toHaveLength(1);
  });

  it("of another mailbox are unknown, and that mailbox is refused", async () => {
    const other = await aMailbox();
    await other.submit(`/mail/labels/${other.workspace.mailboxId}`, [
      ["action", "create"],
      ["label_name", "Foreign"],
      ["color", "#14693a"],
    ]);
    const foreign = await (await other.workspace.call("GET", `/v1/inbox/${other.workspace.mailboxId}/labels`)).json<
      { id: string }[]
    >();
    const id = foreign[0]?.id ?? "";
    expect((await box.page.get(`/mail/labels/${box.workspace.mailboxId}/${id}`)).status).toBe(404);
    expect((await change({ action: "delete", label_id: id })).status).toBe(404);
    expect((await change({ action: "delete", label_id: id, confirmed: "yes" })).status).toBe(404);
    expect((await act(box.path("/INBOX"), `label:${id}`, [1])).status).toBe(422);
    const path = `/mail/labels/${other.workspace.mailboxId}`;
    expect((await box.submit(path, [["action", "delete"]])).status).toBe(403);
  });
});

describe("folders", () => {
  const change = (fields: Record<string, string>) =>
    box.submit(`/mail/folders/${box.workspace.mailboxId}`, Object.entries(fields));

  it.each(["Größe", '"New" 100%', "\u0645\u06cc\u200c\u0631\u0648\u0645"])(
    "are created, renamed, and deleted when they are empty: %s",
    async (name) => {
      expect((await follow(await change({ action: "create", name: "Projects" }))).text).toContain(
        "Projects was created",
      );
      await follow(await change({ action: "rename", folder: "Projects", name }));
      await box.receive({ Subject: "One" });
      const path = `/v1/inbox/${box.workspace.mailboxId}/folders/${encodeURIComponent(name)}`;
      expect((await box.workspace.call("PATCH", path, { name })).status).toBe(200);
      await act(box.path("/INBOX"), `move:${name}`, [1]);
      expect(await subjects(name)).toEqual(["One"]);
      const refused = await change({ action: "delete", folder: name });
      expect([refused.status, toText(await refused.text())]).toEqual([
        409,
        expect.stringContaining("The folder has messages"),
      ]);
      await act(box.path(`/${encodeURIComponent(name)}`), "move:INBOX", [1]);
      expect((await follow(await change({ action: "delete", folder: name }))).text).toContain("The folder was deleted");
      expect((await box.page.get(box.path(`/${encodeURIComponent(name)}`))).status).toBe(404);
    },
  );

  it.each([
    ["the name of another one", { action: "create", name: "inbox" }, 409],
    ["no name", { action: "create", name: "" }, 422],
    ["a name of 256 bytes", { action: "create", name: "x".repeat(256) }, 422],
    ["a name with NUL", { action: "create", name: "a\u0000b" }, 422],
    ["a system folder to delete", { action: "delete", folder: "INBOX" }, 409],
    ["an unknown one to delete", { action: "delete", folder: "Nowhere" }, 404],
  ])("are refused with %s", async (_, fields, status) => {
    expect((await change(fields)).status).toBe(status);
  });
});
