/** `npm run migrate` on databases of the version that had one database, killed on the way and repeated. */
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { migrateOldForm } from "../../dev/database.ts";
import { ROOT } from "../../dev/layout.ts";
import { withDatabases } from "../../dev/remote-databases.ts";

const USERS = 1_200;

const FILL = [
  `INSERT INTO users (id, email, email_key, created_at)
    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ${USERS})
    SELECT 'user-' || n, n || '@a.example', n || '@a.example', n FROM n`,
  "INSERT INTO workspaces (number, id, name, slug, created_at) VALUES (7, 'w', 'W', 'w', 1)",
  "INSERT INTO memberships (workspace, user_id, role, created_at) SELECT 7, id, 'owner', 1 FROM users",
];

/** Runs the command; kills it after the line that `until` accepts. Returns its output. */
function migrate(stateDir: string, until: (line: string) => boolean = () => false): Promise<string> {
  const args = ["dev/setup.mjs", "dev/migrate.ts", "--local", stateDir];
  const child = spawn(process.execPath, args, { cwd: ROOT, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let isKilled = false;
  const read = (data: Buffer) => {
    output += data;
    if (isKilled || !output.split("\n").some(until) || child.pid === undefined) return;
    isKilled = true;
    process.kill(-child.pid, "SIGKILL");
  };
  child.stdout.on("data", read);
  child.stderr.on("data", read);
  return new Promise((resolve) => child.on("close", () => resolve(output)));
}

const count = (db: D1Database, table: string) => db.prepare(`SELECT count(*) AS n FROM ${table}`).first("n");

it("splits the database, also when it is killed in the middle, and then has nothing to do", async () => {
  const stateDir = await mkdtemp(path.join(os.tmpdir(), "email-delivery-split-"));
  try {
    await withDatabases({ stateDir }, async (env) => {
      await migrateOldForm(env.MAIL_0);
      await env.MAIL_0.batch(FILL.map((statement) => env.MAIL_0.prepare(statement)));
    });
    for (const step of ["MAIL_0: copied 1200 rows of users", "MAIL_0: 0041"])
      expect(await migrate(stateDir, (line) => line.startsWith(step)), step).not.toContain("All migrations");
    expect(await migrate(stateDir)).toMatch(/All migrations are applied\.\n$/);
    expect(await migrate(stateDir)).toBe("All migrations are applied.\n");
    await withDatabases({ stateDir }, async ({ DB, MAIL_0, MAIL_1 }) => {
      expect(await Promise.all([count(DB, "users"), count(DB, "memberships")])).toEqual([USERS, USERS]);
      expect(await DB.prepare("SELECT number, id, mail_shards FROM workspaces").all()).toMatchObject({
        results: [{ number: 7, id: "w", mail_shards: "[0]" }],
      });
      await expect(count(MAIL_0, "users")).rejects.toThrow("no such table");
      expect(await Promise.all([count(MAIL_0, "emails"), count(MAIL_1, "emails")])).toEqual([0, 0]);
    });
  } finally {
    await rm(stateDir, { recursive: true, force: true });
  }
});
