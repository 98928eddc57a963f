import { describe, expect, it } from "vitest";
import { readAudit } from "../../../support/audit.ts";
import { anAccessToken } from "../../../support/oauth.ts";
import { aSystemWorkspace } from "../../../support/transfers.ts";
import { apiWith, perTest } from "../../../support/workspace.ts";
import { anInbox } from "../support.ts";
import { aFilter, type ShownFilter, subject } from "./support.ts";

const inbox = perTest(anInbox);

const listed = () => inbox.json<ShownFilter[]>("GET", "/filters");
const flag = [{ type: "flag" }];

describe("a filter", () => {
  it("is created, read, changed in the fields given, and deleted", async () => {
    await inbox.json("POST", "/folders", { name: "Bills" });
    const { id: labelId } = await inbox.json<{ id: string }>("POST", "/labels", { name: "Money", color: "#000000" });
    const actions = [
      { type: "move", folder: "Bills" },
      { type: "label", label_id: labelId },
      { type: "mark_read" },
      { type: "stop" },
    ];
    const size = { field: "size", op: "under", value: 1_000_000 };
    const filter = await aFilter(inbox, "invoice", actions, {
      ...{ name: "Bills ü", match: { mode: "any", conditions: [subject("invoice"), size] } },
    });
    expect(filter).toEqual({
      ...{ id: expect.any(String), name: "Bills ü", actions, position: 0, is_active: true },
      match: { mode: "any", conditions: [subject("invoice"), size] },
      ...{ created_at: expect.stringMatching(/Z$/), updated_at: expect.stringMatching(/Z$/) },
    });
    expect(await inbox.json("GET", `/filters/${filter.id}`)).toEqual(filter);
    const changed = await inbox.json<ShownFilter>("PATCH", `/filters/${filter.id}`, { is_active: false, name: null });
    expect(changed).toMatchObject({ name: null, is_active: false, actions, match: filter.match });
    expect((await inbox.call("DELETE", `/filters/${filter.id}`)).status).toBe(204);
    expect((await inbox.call("DELETE", `/filters/${filter.id}`)).status).toBe(404);
    expect(await listed()).toEqual([]);
  });

  it("is listed in order of position, new ones at the end, and follows its folder when that is renamed", async () => {
    await inbox.json("POST", "/folders", { name: "Bills" });
    const first = await aFilter(inbox, "a", [{ type: "move", folder: "Bills" }]);
    const second = await aFilter(inbox, "b", flag);
    const zeroth = await aFilter(inbox, "c", flag, { position: 0 });
    await inbox.json("PATCH", `/filters/${first.id}`, { position: 1 });
    expect((await listed()).map(({ id }) => id)).toEqual([zeroth.id, first.id, second.id]);
    await inbox.json("PATCH", "/folders/Bills", { name: "Paid" });
    expect((await listed())[1]?.actions).toEqual([{ type: "move", folder: "Paid" }]);
  });

  const conditions = (...all: unknown[]) => ({ match: { conditions: all }, actions: flag });
  it.each<[string, unknown]>([
    ["nothing", {}],
    ["no condition", conditions()],
    ["21 conditions", conditions(...Array.from({ length: 21 }, () => subject("a")))],
    ["an empty text", conditions(subject(""))],
    ["a text of 999 characters", conditions(subject("a".repeat(999)))],
    ["an unknown field", conditions({ field: "body", op: "contains", value: "a" })],
    ["a text compared by size", conditions({ field: "subject", op: "over", value: 1 })],
    ["a size that is a text", conditions({ field: "size", op: "over", value: "1" })],
    ["no action", { match: { conditions: [subject("a")] }, actions: [] }],
    ["11 actions", { match: { conditions: [subject("a")] }, actions: Array.from({ length: 11 }, () => flag[0]) }],
    ["an unknown action", { match: { conditions: [subject("a")] }, actions: [{ type: "expunge" }] }],
    ["an unknown folder", { match: { conditions: [subject("a")] }, actions: [{ type: "move", folder: "Nowhere" }] }],
    [
      "an unknown label",
      { match: { conditions: [subject("a")] }, actions: [{ type: "label", label_id: crypto.randomUUID() }] },
    ],
    [
      "a forward to no address",
      { match: { conditions: [subject("a")] }, actions: [{ type: "forward", address: "a\r\nb@c" }] },
    ],
    ["a name with a line end", { ...conditions(subject("a")), name: "a\nb" }],
    ["a negative position", { ...conditions(subject("a")), position: -1 }],
  ])("is refused with 422 for %s", async (_, body) => {
    expect((await inbox.call("POST", "/filters", body)).status).toBe(422);
    expect(await listed()).toEqual([]);
  });

  it("is the 100th at most", async () => {
    const input = {
      name: null,
      match: { mode: "all" as const, conditions: [] },
      actions: [],
      position: null,
      isActive: true,
    };
    const { env } = await import("cloudflare:workers");
    const store = env.MAILBOX.getByName(inbox.workspace.mailboxId);
    for (let count = 0; count < 99; count++) await store.createFilter({ id: crypto.randomUUID(), ...input });
    await aFilter(inbox, "a", flag);
    const response = await inbox.call("POST", "/filters", conditions(subject("a")));
    expect([response.status, await response.json()]).toEqual([409, { detail: "A mailbox has at most 100 filters" }]);
  });

  it("is created once by two equal calls with one Idempotency-Key", async () => {
    const { post } = inbox.workspace;
    const call = () => post(inbox.path("/filters"), conditions(subject("a")), { "Idempotency-Key": "once" });
    const [first, second] = [await call(), await call()];
    expect(await second.json()).toEqual(await first.json());
    expect(await listed()).toHaveLength(1);
  });

  it("that forwards outside asks the address first, and is recorded in the audit log", async () => {
    await aSystemWorkspace();
    const { actions } = await aFilter(inbox, "a", [{ type: "forward", address: "Friend@example.net" }]);
    expect(actions).toEqual([
      { type: "forward", address: "Friend@example.net", is_confirmed: false, maker_id: inbox.workspace.userId },
    ]);
    const inside = await aFilter(inbox, "b", [{ type: "forward", address: inbox.workspace.mailbox }]);
    expect(inside.actions).toMatchObject([{ is_confirmed: true }]);
    const entries = (await readAudit(inbox.workspace)).filter(({ action }) => action === "mailbox.filter_forwards");
    expect(entries).toHaveLength(2);
  });

  it("that forwards is neither made, changed nor read by an OAuth token, which deletes it", async () => {
    const { id } = await aFilter(inbox, "a", [{ type: "forward", address: inbox.workspace.mailbox }]);
    const { id: plain } = await aFilter(inbox, "b", flag);
    const token = apiWith(await anAccessToken(inbox.workspace, ["inbox:read", "inbox:write"]));
    const call = async (method: string, path: string, body?: unknown) =>
      (await token.call(method, inbox.path(`/filters${path}`), body)).status;
    const actions = [{ type: "forward", address: inbox.workspace.mailbox }];
    expect(await call("POST", "", { match: { conditions: [subject("c")] }, actions })).toBe(403);
    expect(await call("PATCH", `/${plain}`, { actions })).toBe(403);
    expect(await call("PATCH", `/${plain}`, { name: "Plain" })).toBe(200);
    expect(await call("PATCH", `/${id}`, { name: "Forwards" })).toBe(403);
    expect([await call("GET", `/${id}`), await call("GET", ""), await call("GET", `/${plain}`)]).toEqual([
      403, 403, 200,
    ]);
    expect(await call("DELETE", `/${id}`)).toBe(204);
    expect(await call("GET", "")).toBe(200);
  });
});
