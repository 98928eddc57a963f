import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { runWords } from "../../dev/admin/run-words.ts";
import type { Seeded } from "../../dev/seed-workspace.ts";
import type { Ctx } from "../../src/platform/context.ts";
import { onShard } from "../../src/platform/jobs/shards.ts";
import { isFull } from "./support/extent.ts";
import { sharedService } from "./support/shared-service.ts";

const root = path.join(import.meta.dirname, "../..");
let site: { ctx: Ctx; url: string; masterKeys: string; workspace: Seeded };

beforeAll(async () => {
  const { host, ctx, masterKeys, addWorkspace } = await sharedService();
  site = { ctx, url: host.url, masterKeys, workspace: await addWorkspace("admin.test") };
  await site.ctx.db.prepare("UPDATE users SET is_platform_admin = 1 WHERE id = ?1").bind(site.workspace.userId).run();
}, 120_000);

/** Runs the program of `npm run admin` against the site. `env` is added to the environment. */
async function spawnAdmin(words: string, env: Record<string, string> = {}) {
  const node = path.join(root, "node_modules/.bin/node");
  const flags = ["--disable-warning=ExperimentalWarning", path.join(root, "dev/admin.ts")];
  const run = promisify(execFile)(node, [...flags, ...words.split(" "), "--url", site.url], {
    env: { ...process.env, MASTER_KEYS: site.masterKeys, ...env },
  });
  const { code, stdout, stderr } = await run.then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  return { code, stdout, stderr };
}

/** Runs a command in this process, where the program adds only its exit code and output. */
async function admin(words: string) {
  vi.stubEnv("MASTER_KEYS", site.masterKeys);
  try {
    return { code: 0, stdout: await runWords([...words.split(" "), "--url", site.url]), stderr: "" };
  } catch (error) {
    return { code: 1, stdout: "", stderr: (error as Error).message };
  } finally {
    vi.unstubAllEnvs();
  }
}

/** Runs a command that must succeed and returns its JSON. */
async function json<Result>(words: string): Promise<Result> {
  const { code, stdout, stderr } = await admin(`${words} --json`);
  expect([code, stderr], words).toEqual([0, ""]);
  return JSON.parse(stdout) as Result;
}

describe("npm run admin", () => {
  it("lists, requeues and flushes the outbox of a database", async () => {
    const at = Date.now() + 86_400_000;
    const insert = site.ctx.db.prepare(
      "INSERT INTO outbox (due_at, id, kind, ref, claims) VALUES (?1, ?2, 'purge', '{}', 6)",
    );
    await site.ctx.db.batch(["row-a", "row-b", "row-c"].map((id) => insert.bind(at, id)));
    const listed = await json<{ id: string }[]>("outbox list main");
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining(["row-a", "row-b", "row-c"]));
    expect(await json<{ id: string }[]>("outbox list main --limit 2")).toHaveLength(2);
    expect(await json("outbox requeue main row-a row-c")).toEqual({ requeued: 2 });
    const unknown = await admin("outbox requeue main row-b row-z");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("row-z")]);
    const waits = site.ctx.db.prepare("SELECT due_at AS at FROM outbox WHERE id = 'row-b'");
    expect(await waits.first()).toEqual({ at });
    expect(await json("outbox flush")).toEqual({ released: 0 });
  });

  it.runIf(isFull)(
    "requeues an email that waits, which then leaves; releases restored emails; and makes the search index anew",
    async () => {
      const { apiKey, mailbox, mailShard } = site.workspace;
      const headers = { Authorization: `Bearer ${apiKey}`, "Content-Type": "application/json" };
      const fetchJson = async <Out>(target: string, mail?: object) => {
        const init = mail ? { method: "POST", headers, body: JSON.stringify(mail) } : { headers };
        return (await fetch(site.url + target, init)).json() as Promise<Out>;
      };
      const later = { send_at: new Date(Date.now() + 86_400_000).toISOString() };
      const accept = async (subject: string) => {
        const to = [{ email: "delivered@simulator.test" }];
        const mail = { from_: { email: mailbox }, to, subject, text: "Later", ...later };
        return (await fetchJson<{ id: string }>("/v1/emails/", mail)).id;
      };
      const hasLeft = (id: string) =>
        expect
          .poll(async () => (await fetchJson<{ status: string }>(`/v1/emails/${id}`)).status, { timeout: 15_000 })
          .toBe("delivered");
      const [waiting, held] = [await accept("zebra waits"), await accept("zebra held")];
      expect(await json(`outbox requeue ${mailShard} ${waiting}`)).toEqual({ requeued: 1 });
      await hasLeft(waiting);
      const mail = onShard(site.ctx, mailShard).outbox;
      // As a restore leaves it.
      await mail.batch([
        mail
          .prepare(
            "INSERT INTO held_outbox (id, due_at, kind, ref, claims) SELECT id, ?2, kind, ref, claims FROM outbox WHERE id = ?1",
          )
          .bind(held, Date.now()),
        mail.prepare("DELETE FROM outbox WHERE id = ?1").bind(held),
      ]);
      expect(await json("outbox release")).toEqual({ released: 1 });
      await hasLeft(held);
      await json(`search reindex ${mailShard}`);
      const found = await fetchJson<{ id: string }[]>("/v1/emails/search?q=zebra");
      expect(found.map(({ id }) => id).sort()).toEqual([waiting, held].sort());
      const entries = await json<{ action: string }[]>("audit list --limit 20");
      const actions = entries.map(({ action }) => action).filter((action) => !action.startsWith("session."));
      expect(actions.slice(0, 3)).toEqual(["search_index.rebuilt", "outbox.released", "outbox.requeued"]);
      expect((await admin("search reindex 9")).stderr).toContain("Database not found");
    },
  );

  it("lists the egresses, and gives a workspace or a domain only one that they have", async () => {
    const { workspaceId } = site.workspace;
    expect(await json("egress list")).toEqual([expect.objectContaining({ name: "main" })]);
    expect(await json("egress assignments")).toEqual([]);
    const refused = await admin(`egress assign --workspace ${workspaceId} --egress east`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("must be a name of NAMED_EGRESS_URLS")]);
    const [none, both] = [
      await admin("egress assign --egress east"),
      await admin(`egress remove --workspace ${workspaceId} --domain example.com`),
    ];
    for (const { stderr } of [none, both]) expect(stderr).toBe("Give either --workspace <id> or --domain <name>.");
    expect((await admin(`egress assign --workspace ${workspaceId}`)).stderr).toContain("Give --egress <name>");
    const assign = site.ctx.db.prepare("UPDATE workspaces SET egress = 'gone' WHERE id = ?1");
    await assign.bind(workspaceId).run();
    expect(await json("egress assignments")).toEqual([
      expect.objectContaining({
        egress: "gone",
        workspace_id: workspaceId,
        issue: expect.stringContaining("no egress gone"),
      }),
    ]);
    expect((await admin(`egress remove --workspace ${workspaceId}`)).stdout).toBe("Done.");
    expect(await json("egress assignments")).toEqual([]);
  });

  it.runIf(isFull)("replays a dead letter whose row is then processed, and drops one", async () => {
    const dueAt = Date.now();
    const row = { dueAt, id: "row-of-letter", kind: "purge" };
    const insert = site.ctx.db.prepare(
      "INSERT INTO dead_letters (id, queue, body, recorded_at) VALUES (?1, 'work-dead', ?2, 1)",
    );
    await site.ctx.db.batch([
      site.ctx.db
        .prepare("INSERT INTO outbox (due_at, id, kind, ref) VALUES (?1, ?2, 'purge', '[]')")
        .bind(dueAt, row.id),
      insert.bind("letter-1", JSON.stringify({ type: "outbox.wake.v2", database: "main", rows: [row] })),
      insert.bind("letter-2", "{}"),
    ]);
    expect((await json<{ id: string }[]>("dead-letters list")).map(({ id }) => id)).toEqual(["letter-1", "letter-2"]);
    await json("dead-letters replay letter-1");
    await json("dead-letters drop letter-2");
    expect(await json("dead-letters list")).toEqual([]);
    const find = site.ctx.db.prepare("SELECT due_at FROM outbox WHERE id = ?1 AND due_at = ?2").bind(row.id, dueAt);
    // The run claims the row, which moves it, or has finished it.
    await expect.poll(() => find.first(), { timeout: 10_000 }).toBeNull();
  });

  it.runIf(isFull)(
    "pauses, resumes and limits a workspace, restricts an account, blocks a host, and ends a claim",
    async () => {
      const { workspaceId } = site.workspace;
      expect(await json(`workspaces pause ${workspaceId}`)).toMatchObject({
        paused_by_platform_at: expect.any(String),
      });
      expect(await json(`workspaces resume ${workspaceId}`)).toMatchObject({ sending_paused_at: null });
      expect(await json(`workspaces limit ${workspaceId} 5000`)).toMatchObject({ daily_limit: 5000 });
      expect(await json(`workspaces limit ${workspaceId} none`)).toMatchObject({ daily_limit: 0 });
      expect(await json(`workspaces limit ${workspaceId} default`)).toMatchObject({ daily_limit: null });
      const [user] = await json<{ id: string }[]>("users list --email ADA@admin.test");
      expect(user).toMatchObject({ id: site.workspace.userId });
      const own = await admin("users restrict ada@admin.test");
      expect([own.code, own.stderr]).toEqual([1, expect.stringContaining("You cannot restrict your own account")]);
      expect(await json("hosts block phishing.example")).toMatchObject({ host: "phishing.example" });
      expect(await json("hosts list")).toHaveLength(1);
      expect(await json("hosts unblock phishing.example")).toBeNull();
      expect(await json("claims list a.admin.test")).toMatchObject([{ name: "admin.test", workspace_id: workspaceId }]);
      expect(await json("claims end admin.test")).toBeNull();
      expect(await json("claims list admin.test")).toEqual([]);
    },
  );

  it("leaves no session, and the audit log names the administrator", async () => {
    const [entry] = await json<{ action: string; actor: { email: string } }[]>("audit list --limit 1");
    expect(entry).toMatchObject({ action: "session.started", actor: { email: "ada@admin.test" } });
    const sessions = site.ctx.db.prepare("SELECT count(*) AS open FROM sessions WHERE user_id = ?1");
    expect(await sessions.bind(site.workspace.userId).first()).toEqual({ open: 0 });
  });

  it.each([
    ["outbox", "There is no such command."],
    ["outbox list", "Usage: npm run admin -- outbox list <database>"],
    ["outbox requeue main", "Usage: npm run admin -- outbox requeue <database> <id>…"],
    ["hosts list --limit x", "--limit must be a whole number from 1."],
    ["hosts list --as nobody@example.org", "Platform administrator not found"],
    ["workspaces pause x/../y", "Workspace not found"],
    ["workspaces limit x 5.5", "5.5 is no limit: give a number of emails, none or default."],
  ])("refuses %s with a sentence", async (words, sentence) => {
    const { code, stdout, stderr } = await admin(words);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(sentence);
  });

  it("prints JSON and exits with 0, or prints a sentence and exits with 1", async () => {
    const { code, stdout, stderr } = await spawnAdmin("outbox list main --json");
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(expect.any(Array));
    const unknown = await spawnAdmin("outbox");
    expect([unknown.code, unknown.stdout]).toEqual([1, ""]);
    expect(unknown.stderr).toContain("There is no such command.");
  });

  it.runIf(isFull)("refuses a missing key and the key of another deployment, and prints help without one", async () => {
    expect((await spawnAdmin("hosts list", { MASTER_KEYS: "" })).stderr).toContain("MASTER_KEYS is not set");
    const other = await spawnAdmin("hosts list", { MASTER_KEYS: `1:${Buffer.alloc(32, 9).toString("base64")}` });
    expect(other.stderr).toContain("not signed with a master key of this deployment");
    const { code, stdout } = await spawnAdmin("--help", { MASTER_KEYS: "" });
    expect([code, stdout]).toEqual([0, expect.stringContaining("dead-letters replay <id>")]);
  });
});
