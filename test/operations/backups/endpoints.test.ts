import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { planParts } from "../../../dev/backups/parts.ts";
import { type AccessTokenKind, signAccessToken } from "../../../src/access/sessions/access-token.ts";
import { plainStructure } from "../../../src/mail/structures/describe.ts";
import { findStore } from "../../../src/operations/backups/stores.ts";
import { describeTables } from "../../../src/operations/backups/tables.ts";
import { writeRows } from "../../../src/operations/backups/write-rows.ts";
import { anInbox } from "../../mailboxes/inbox/support.ts";
import { apiWith, aWorkspace, testContext } from "../../support/workspace.ts";

/** Calls an endpoint of backups with a token of this kind. */
async function ask(path: string, body: unknown, kind: AccessTokenKind = "backup"): Promise<Response> {
  const { token } = await signAccessToken(testContext(), kind, { sub: "operator", sid: "operator", wid: "operator" });
  return apiWith(null).post(path, body, { Authorization: `Bearer ${token}` });
}

const page = { store: "main", table: "users", columns: ["id"], key: ["id"], after: null, filter: null };

it("only a token that is signed for backups reads rows", async () => {
  for (const kind of ["rotation", "bootstrap", "session", "smtp"] as const)
    expect((await ask("/auth/backup/rows", page, kind)).status, kind).toBe(401);
  expect((await apiWith(null).post("/auth/backup/rows", page)).status).toBe(401);
  expect((await ask("/auth/backup/rows", page)).status).toBe(200);
});

it("names that are not those of a table or column are refused, and counts that are none", async () => {
  for (const table of ["users; DROP TABLE users", "users]", "USERS", "", "a\0b", "_cf_METADATA"])
    expect((await ask("/auth/backup/rows", { ...page, table })).status, table).toBe(422);
  for (const columns of [["id", "name]"], [], ["*"]])
    expect((await ask("/auth/backup/rows", { ...page, columns })).status, columns.join()).toBe(422);
  for (const store of ["mail-99", "mailbox-x", "main; ", "MAIL_0"])
    expect((await ask("/auth/backup/rows", { ...page, store })).status, store).toBe(404);
  expect((await ask("/auth/backup/rows", { ...page, table: "x".repeat(9_000_000) })).status).toBe(413);
  expect((await ask("/auth/backup/rows", {})).status).toBe(422);
  for (const refused of [undefined, null, -1, 1.5, "1", 2 ** 60])
    expect((await ask("/auth/restore/file", { id: "2026", file: "x", refused })).status, String(refused)).toBe(422);
});

it("no row, object or repair is written unless a restore is running, and none begins in a deployment with accounts", async () => {
  await aWorkspace();
  const rows = { ...page, id: "2026", isVirtual: false, rows: [["x"]] };
  const begun = await ask("/auth/restore/begin", { id: "2026" });
  expect(begun.status).toBe(409);
  expect(await begun.json()).toMatchObject({ detail: expect.stringContaining("The deployment is not empty") });
  expect((await ask("/auth/restore/rows", rows)).status).toBe(409);
  expect((await ask("/auth/restore/file", { id: "2026", file: "x", refused: 0 })).status).toBe(409);
  expect(await env.DB.prepare("SELECT count(*) AS n FROM restores").first("n")).toBe(0);
});

it("messages that an earlier restore took for texts are counted, read again from their objects, and then none", async () => {
  const { workspace, receive } = await anInbox();
  await receive({ "Content-Type": "text/html" }, "<p>Hello</p>\r\n");
  const mailbox = env.MAILBOX.getByName(workspace.mailboxId);
  await runInDurableObject(mailbox, (_, { storage: { sql } }) => {
    const { size, header_size } = sql.exec<Record<string, number>>("SELECT size, header_size FROM messages").one();
    const guess = JSON.stringify(plainStructure(header_size ?? 0, size ?? 0));
    sql.exec("UPDATE message_structures SET header = NULL, structure = ?", guess);
  });
  const mend = async (dry: boolean) =>
    (await (await ask("/auth/backup/mailbox-structures", { mailbox: workspace.mailboxId, dry })).json()) as object;
  const counts = [await mend(true), await mend(true), await mend(false), await mend(false)];
  expect(counts).toEqual([{ messages: 1 }, { messages: 1 }, { messages: 1 }, { messages: 0 }]);
  await runInDurableObject(mailbox, (instance) => instance.alarm());
  const wanted = { header: null, structure: true };
  const [message] = (await mailbox.fetchMessages("INBOX", [1], wanted)) ?? [];
  expect(JSON.parse(message?.structure ?? "{}")).toMatchObject({ root: { type: "text/html" } });
});

it("outbox rows of each database can be held, with every column that an outbox has", async () => {
  for (const name of ["main", "mail-0"]) {
    const store = findStore(testContext(), name);
    if (!store) throw new Error(`there is no ${name}`);
    const outbox = (await describeTables(store)).find((table) => table.name === "outbox");
    const { columns = [], key = [] } = outbox ?? {};
    const values: Record<string, string> = { kind: "notify", ref: "{}", id: crypto.randomUUID() };
    const rows = [columns.map((column) => values[column] ?? 7)];
    expect(await writeRows(store, { table: "outbox", columns, key, isVirtual: false, rows }), name).toEqual([]);
    const [held] = await store.batch([
      { sql: "SELECT due_at, claims, token FROM held_outbox WHERE id = ?1", values: [values.id ?? ""] },
    ]);
    expect(held, name).toEqual([{ due_at: 7, claims: 7, token: null }]);
  }
});

it("every table of each database has a key, and is part of a backup exactly once beside the outbox", async () => {
  for (const store of ["main", "mail-0"]) {
    const found = findStore(testContext(), store);
    if (!found) throw new Error(`there is no ${store}`);
    const tables = await describeTables(found);
    expect(tables.filter(({ key }) => key.length === 0)).toEqual([]);
    const types = await Promise.all(tables.map(({ name }) => typesOf(store === "main" ? env.DB : env.MAIL_0, name)));
    expect([...new Set(types.flat())].sort(), "JSON keeps integers and texts").toEqual(["INTEGER", "TEXT"]);
    const named = planParts(store, tables, 0).map(({ table }) => table);
    const database = store === "main" ? env.DB : env.MAIL_0;
    const { results } = await database
      .prepare(
        `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '[_]*' AND name NOT GLOB 'sqlite_*'
            AND name NOT GLOB 'email_search*' AND name NOT IN ('d1_migrations', 'cron_runs', 'daily_figures', 'restores', 'restored_files',
                               'egress_outages', 'egress_probe', 'outage_workspaces', 'rate_snapshots')`,
      )
      .all<{ name: string }>();
    const others = named.filter((name) => name !== "outbox" && name !== "sqlite_sequence");
    expect(others.sort()).toEqual(
      results
        .map(({ name }) => name)
        .filter((name) => name !== "outbox")
        .sort(),
    );
    expect(named.filter((name) => name === "outbox").length).toBe(store === "main" ? 2 : 3);
  }
});

async function typesOf(db: D1Database, table: string): Promise<string[]> {
  const { results } = await db.prepare("SELECT type FROM pragma_table_info(?1)").bind(table).all<{ type: string }>();
  return results.map(({ type }) => type);
}
