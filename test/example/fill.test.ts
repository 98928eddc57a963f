import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { Past } from "../../dev/example/past.ts";
import { SHOP } from "../../dev/example/shop.ts";
import { createExample, findExample } from "../../dev/example/workspace.ts";
import { respondLocalCall } from "../../dev/worker/local-calls.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { onShard, onShardOf } from "../../src/platform/jobs/shards.ts";
import { database } from "../support/databases.ts";
import { runOutboxAt } from "../support/run-outbox-at.ts";
import { aKey, apiWith, aWorkspace, testContext } from "../support/workspace.ts";

/** The shop has some hundred emails, which take some seconds on a machine that does nothing else. */
const FILL_MS = 120_000;
const SECRET = { Authorization: "Bearer gateway-secret-of-the-tests-0123456789" };

/** Calls the part of the local Worker that is about the example shop, and waits until it has done its work. */
async function callExample(method: string, path = "", headers: Record<string, string> = SECRET) {
  const execution = createExecutionContext();
  const request = new Request(`http://127.0.0.1/dev/example${path}`, { method, headers });
  const response = await respondLocalCall(request, env, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  return { status: response.status, text };
}

const cardFor = async (workspace: string) => JSON.parse((await callExample("GET", `?workspace=${workspace}`)).text);

describe("the example shop", () => {
  let own: Awaited<ReturnType<typeof aWorkspace>>;
  let api: ReturnType<typeof apiWith>;
  let unfinished = "";
  let lines = "";

  beforeAll(async () => {
    own = await aWorkspace();
    await database.run("UPDATE users SET is_platform_admin = id = ?1", [own.userId]);
    // As a run leaves it that was killed after its first step.
    unfinished = (await createExample(new Past(env, Date.now() - 15 * DAY_MS), own.userId, Date.now())).caller.workspace
      .id;
    expect(await found()).toMatchObject({ id: unfinished, isFilled: false });
    lines = (await callExample("POST")).text;
    api = apiWith(await aKey({ workspaceNumber: (await found()).number, userId: own.userId }));
  }, FILL_MS);

  async function found() {
    const example = await findExample(env);
    if (!example) throw new Error(`the shop is missing: ${lines}`);
    return example;
  }
  const list = async <Item>(path: string): Promise<Item[]> => (await api.get(path)).json();
  const search = async (query: string) => list<Found>(`/v1/emails/search?${query}`);
  interface Found {
    id: string;
    status: string;
    subject: string;
    created_at: string;
  }

  it("refuses a call without the secret of the service", async () => {
    expect((await callExample("POST", "", {})).status).toBe(403);
    expect((await callExample("DELETE", "", { Authorization: "Bearer " })).status).toBe(403);
  });

  it("says what it does, and is a workspace of its own in place of one that was filled half-way", async () => {
    expect(lines).toContain("Sending the emails of day 14 of 14");
    expect(await found()).toMatchObject({ name: SHOP.name, isFilled: true, ownerId: own.userId });
    expect((await found()).id).not.toBe(unfinished);
    expect(await search("q=")).not.toEqual([]);
    expect(await (await own.get("/v1/emails/search?q=")).json()).toEqual([]);
  });

  it("has emails of every status, on each of 14 days", async () => {
    for (const status of ["queued", "scheduled", "sent", "delivered", "bounced", "rejected", "failed", "cancelled"])
      expect(await search(`status=${status}`), status).not.toEqual([]);
    const { results } = await testMail("SELECT DISTINCT created_at / 86400000 AS day FROM emails WHERE workspace = ?1");
    expect(results.length).toBeGreaterThanOrEqual(14);
  });

  it("has a bounce with the reply of the server, a deferral, a complaint, opens and clicks", async () => {
    const [bounced] = await search("q=to:elin.sandgren@post.test");
    const detail = await (await api.get(`/v1/emails/${bounced?.id}`)).text();
    expect(detail).toContain("550 5.1.1 <elin.sandgren@post.test>: Recipient address rejected");
    const { results } = await testMail(
      "SELECT DISTINCT e.value->>'type' AS type FROM emails, json_each(events) e WHERE workspace = ?1",
    );
    const types = results.map(({ type }) => type);
    expect(types).toEqual(expect.arrayContaining(["deferred", "complained", "open", "click", "suppressed"]));
  });

  it("counts in analytics what its emails have", async () => {
    const { results } = await testMail(
      `SELECT (SELECT sum(delivered) FROM rollups_hourly WHERE workspace = ?1) AS counted, (
         SELECT count(*) FROM emails WHERE workspace = ?1 AND status = 'delivered') AS delivered`,
    );
    // The recipient who complained had it delivered, and is counted by that.
    expect(Math.abs(Number(results[0]?.counted) - Number(results[0]?.delivered))).toBeLessThanOrEqual(1);
  });

  it("has a list, a segment, templates, a draft, and a broadcast whose winner was promoted and clicked", async () => {
    const lists = await list<{ name: string; contact_count: number }>("/v1/contacts/");
    expect(lists.find(({ name }) => name === "Customers")?.contact_count).toBe(120);
    const segments = await list<{ name: string; count: number; conditions: { value: string } }>("/v1/segments/");
    const bought = segments.find(({ name }) => name.startsWith("Bought since "));
    expect(bought?.count).toBeGreaterThan(10);
    // The name is right on each later day too.
    const [, month, day] = bought?.conditions.value.split("-") ?? [];
    const months = "January February March April May June July August September October November December".split(" ");
    expect(bought?.name).toBe(`Bought since ${Number(day)} ${months[Number(month) - 1]}`);
    expect(await list("/v1/templates/")).toHaveLength(3);
    const broadcasts = await list<Record<string, unknown>>("/v1/broadcasts/");
    expect(broadcasts.map(({ status }) => status)).toEqual(expect.arrayContaining(["draft", "sending", "sent"]));
    const sent = broadcasts.find(({ status }) => status === "sent");
    expect(sent).toMatchObject({ recipient_count: 120, ab_winner_variant_id: expect.any(String) });
    expect(sent?.clicked_count).toBeGreaterThan(10);
  });

  it("has an active automation with people inside", async () => {
    const [welcome] = await list<{ status: string; counters: { active: number; completed: number } }>(
      "/v1/automations/",
    );
    expect(welcome?.status).toBe("active");
    expect(welcome?.counters.active).toBeGreaterThan(2);
    expect(welcome?.counters.completed).toBeGreaterThan(0);
  });

  it("has an inbox with an answered conversation, an attachment and Spam", async () => {
    const boxes = await list<{ id: string; address: string }>("/v1/mailboxes/");
    const box = boxes.find(({ address }) => address === `hello@${SHOP.domain}`)?.id;
    const messages = async (folder: string) =>
      (await (await api.get(`/v1/inbox/${box}/messages?folder=${folder}`)).json<{ items: Message[] }>()).items;
    interface Message {
      subject: string;
      attachment_count?: number;
    }
    expect(JSON.parse((await callExample("GET", "/mailbox")).text)).toEqual({
      id: box,
      address: `hello@${SHOP.domain}`,
    });
    const inbox = await messages("INBOX");
    expect(inbox.map(({ subject }) => subject)).toEqual(expect.arrayContaining(["Our order for December"]));
    expect(inbox).toHaveLength(7);
    expect(await messages("Sent")).toHaveLength(2);
    expect(await messages("Spam")).toHaveLength(1);
  });

  it("is not doubled when it is filled again", async () => {
    const before = (await found()).id;
    expect((await callExample("POST")).text).toBe("The example shop is there already.\n");
    expect((await found()).id).toBe(before);
  });

  it("is offered on an empty Home, opened from there, and removed from its own", async () => {
    const { id } = await found();
    const labels = async (workspace: string) =>
      (await cardFor(workspace)).forms.map(({ label }: { label: string }) => label);
    expect(await labels(own.workspaceId)).toEqual([`Open ${SHOP.name}`, "Remove the example shop"]);
    expect(await labels(id)).toEqual(["Remove the example shop"]);
  });

  it("is removed with everything in it", async () => {
    const { number, mailShard } = await found();
    expect((await callExample("DELETE")).status).toBe(204);
    expect(await findExample(env)).toBeNull();
    expect((await callExample("GET", "/mailbox")).text).toBe("null");
    expect((await cardFor(own.workspaceId)).forms).toMatchObject([{ label: "Fill with an example shop" }]);
    const results = await database.rows("SELECT 1 FROM memberships WHERE workspace = ?1", [number]);
    expect(results).toEqual([]);
    // A purge begins two minutes later, and does a step in each run.
    for (let minutes = 3; minutes < 13; minutes++)
      await runOutboxAt(Date.now() + minutes * 60_000, {}, ["purge"], mailShard);
    for (const table of ["emails", "contacts", "broadcasts", "automations", "rollups_hourly"])
      expect(await rowsOf(mailShard, table, number), table).toBe(0);
    expect(await database.row("SELECT 1 FROM workspaces WHERE number = ?1", [number])).toBeNull();
  });

  const rowsOf = (shard: number, table: string, number: number) =>
    onShard(testContext(), shard)
      .outbox.prepare(`SELECT count(*) AS count FROM ${table} WHERE workspace = ?1`)
      .bind(number)
      .first<number>("count");

  async function testMail(sql: string) {
    const { number } = await found();
    const mail = await onShardOf(testContext(), number);
    if (!mail) throw new Error("no mail database");
    return mail.outbox.prepare(sql).bind(number).all<Record<string, unknown>>();
  }
});
