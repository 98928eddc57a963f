import { describe, expect, it } from "vitest";
import { isoMicros } from "../../../src/lib/time.ts";
import type { EmailOut } from "../../../src/sending/emails/schema.ts";
import { database } from "../../support/databases.ts";
import { nextPath } from "../../support/next-path.ts";
import { aKey, aMail, apiWith, aWorkspace, perTest, type TestWorkspace } from "../../support/workspace.ts";

const workspace = perTest(aWorkspace);
const apiWithoutQueue = perTest(() => workspace.withoutQueue);

const START = "2026-01-01T00:00:00Z";

async function updates(since: string) {
  const response = await workspace.get(`/v1/emails/updates?since=${encodeURIComponent(since)}`);
  expect(response.status).toBe(200);
  const emails = await response.json<EmailOut[]>();
  return { ids: emails.map(({ id }) => id), next: response.headers.get("X-Next-Since") ?? "" };
}

const send = async () => (await apiWithoutQueue.create("/v1/emails/", aMail(workspace))).id;

/** Inserts a change row for these emails, as one commit does. */
async function change(ids: string[]): Promise<void> {
  await database.run(
    `INSERT INTO changes (workspace, at_us, emails) SELECT ?1, coalesce((
       SELECT at_us + json_array_length(emails) FROM changes WHERE workspace = ?1 ORDER BY at_us DESC LIMIT 1), 0), json_group_array(n)
       FROM emails WHERE id IN (SELECT value FROM json_each(?2))`,
    [workspace.workspaceNumber, JSON.stringify(ids)],
  );
}

describe("GET /v1/emails/updates", () => {
  it("returns the oldest change first, and the next `since` in X-Next-Since", async () => {
    const ids = [await send(), await send(), await send()];
    const first = await updates(START);
    expect(first.ids).toEqual(ids);
    expect(first.next).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(await updates(first.next)).toEqual({ ids: [], next: first.next });
    const later = await send();
    expect((await updates(first.next)).ids).toEqual([later]);
  });

  it("a poller that passes X-Next-Since on sees every change, also of one large commit", async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, send));
    await change(ids);
    await change(ids.slice(10, 20));
    const seen: string[] = [];
    let since = START;
    for (;;) {
      const { ids: page, next } = await updates(since);
      expect(page.length).toBeLessThanOrEqual(50);
      expect(new Set(page).size).toBe(page.length);
      if (page.length === 0) break;
      seen.push(...page);
      since = next;
    }
    expect(new Set(seen)).toEqual(new Set(ids));
    // The last changed emails come last.
    expect(new Set(seen.slice(-10))).toEqual(new Set(ids.slice(10, 20)));
  });

  it("no two changes of a workspace share a microsecond", async () => {
    await Promise.all(Array.from({ length: 25 }, send));
    const results = await database.rows<{ at_us: number; size: number }>(
      "SELECT at_us, json_array_length(emails) AS size FROM changes WHERE workspace = ?1 ORDER BY at_us",
      [workspace.workspaceNumber],
    );
    for (const [index, row] of results.entries()) {
      const before = results[index - 1];
      if (before) expect(row.at_us).toBeGreaterThanOrEqual(before.at_us + before.size);
    }
  });

  it("accepts any offset and refuses a missing or invalid time or a time without offset", async () => {
    const id = await send();
    for (const since of ["2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00.123456-11:30", "2026-01-01T00:00Z"])
      expect((await updates(since)).ids, since).toEqual([id]);
    const unencoded = await workspace.get("/v1/emails/updates?since=2026-01-01T00:00:00+00:00");
    expect(unencoded.status).toBe(200);
    for (const query of [
      "",
      "?since=",
      "?since=yesterday",
      "?since=2026-01-01T00:00:00",
      "?since=2026-02-30T00:00:00Z",
    ]) {
      const response = await workspace.get(`/v1/emails/updates${query}`);
      expect(response.status, query).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc).toEqual(["query", "since"]);
    }
    expect((await updates(isoMicros((Date.now() + 1e9) * 1000))).ids).toEqual([]);
  });

  /** Inserts emails of this workspace, all of one domain, and returns their ids and numbers in order. */
  async function insertEmails(count: number, domainId = workspace.domainId) {
    const results = await database.rows<{ id: string; n: number }>(
      `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients,
         events, content_offset, content_size, created_at)
       SELECT ?1, value, 'sent', 'api', ?2, ?3, 'a@example.org', '<x@y>', 's', '[]', '[]', 0, 0, 1 FROM json_each(?4)
       RETURNING id, n`,
      [
        workspace.workspaceNumber,
        domainId,
        workspace.mailboxId,
        JSON.stringify(Array.from({ length: count }, () => crypto.randomUUID())),
      ],
    );
    return results.toSorted((a, b) => a.n - b.n);
  }

  /** Inserts one change row per list of numbers, each after the one before. */
  const insertChanges = (rows: readonly (readonly number[])[], fromUs = 1_000_000) =>
    database.run(
      "INSERT INTO changes (workspace, at_us, emails) SELECT ?1, ?2 + 1000 * key, value FROM json_each(?3)",
      [workspace.workspaceNumber, fromUs, JSON.stringify(rows)],
    );

  const pollAll = async (get: TestWorkspace["get"]) => {
    const pages: string[][] = [];
    for (let path: string | null = "/v1/emails/updates?since=1970-01-01T00:00:00Z"; path !== null; ) {
      const response: Response = await get(path);
      const since = encodeURIComponent(response.headers.get("X-Next-Since") ?? "");
      pages.push((await response.json<EmailOut[]>()).map(({ id }) => id));
      const next = nextPath(response);
      expect(next === null || next === `/v1/emails/updates?since=${since}`).toBe(true);
      expect(next).not.toBe(path);
      path = next;
    }
    return pages;
  };

  it("returns 50 emails when 50 exist within 10,000 change rows, though each changed often", async () => {
    const emails = await insertEmails(60);
    await insertChanges(emails.flatMap(({ n }) => Array.from({ length: 150 }, () => [n])));
    expect((await updates("1970-01-01T00:00:00Z")).ids).toEqual(emails.slice(0, 50).map(({ id }) => id));
    const pages = await pollAll(workspace.get);
    expect(pages.map(({ length }) => length)).toEqual([50, 10]);
  });

  it("returns 50 emails to a key restricted to domains when 50 visible ones exist within 10,000 change rows", async () => {
    const [visible, hidden] = [await insertEmails(50), await insertEmails(500, "another")];
    const hiddenRows = Array.from({ length: 9_949 }, (_, i) => [hidden[i % 500]?.n ?? 0]);
    await insertChanges([...hiddenRows, ...visible.map(({ n }) => [n])]);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    const pages = await pollAll(restricted.get);
    expect(pages.filter(({ length }) => length > 0)).toEqual([visible.map(({ id }) => id)]);
    expect(pages[0]).toHaveLength(50);
  });

  it("X-Next-Since advances past 10,000 change rows that a key may not see", async () => {
    const [visible, hidden] = [await insertEmails(1), await insertEmails(1, "another")];
    await insertChanges([...Array.from({ length: 20_500 }, () => [hidden[0]?.n ?? 0]), [visible[0]?.n ?? 0]]);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    expect(await pollAll(restricted.get)).toEqual([[], [], [visible[0]?.id]]);
  });

  it("skips deleted emails without a short page", async () => {
    const emails = await insertEmails(200);
    await insertChanges(emails.map(({ n }) => [n]));
    await database.run("DELETE FROM emails WHERE workspace = ?1 AND n < ?2", [
      workspace.workspaceNumber,
      emails[120]?.n ?? 0,
    ]);
    expect((await pollAll(workspace.get)).map(({ length }) => length)).toEqual([50, 30]);
  });

  it("pages inside one commit of 500 emails, for every key", async () => {
    const emails = await insertEmails(500);
    await insertChanges([emails.map(({ n }) => n)]);
    const restricted = apiWith(await aKey(workspace, { domainIds: [workspace.domainId] }));
    for (const api of [workspace, restricted]) {
      const pages = await pollAll(api.get);
      expect(pages.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 50));
      expect(pages.flat()).toEqual(emails.map(({ id }) => id));
    }
  });

  it("X-Next-Since is a valid since for every since that is accepted", async () => {
    await send();
    for (const since of [
      "9999-12-31T23:59:59.999999Z",
      "9999-12-31T23:59:59.999999-23:59",
      "0000-01-01T00:00:00+23:59",
      "0001-01-01T00:00:00.000001Z",
      "2255-06-05T23:47:34.740992Z",
      "1969-12-31T23:59:59.999999Z",
    ]) {
      const { next } = await updates(since);
      expect(next, since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect((await updates(next)).next, since).toBe(next);
    }
    expect((await updates("9999-12-31T23:59:59.999999Z")).ids).toEqual([]);
    expect((await updates("0000-01-01T00:00:00+23:59")).ids).toHaveLength(1);
  });

  it("never returns emails of another workspace", async () => {
    await send();
    const otherTenant = await aWorkspace();
    expect(await (await otherTenant.get(`/v1/emails/updates?since=${START}`)).json()).toEqual([]);
  });
});
