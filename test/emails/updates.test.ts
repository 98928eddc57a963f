import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import type { EmailOut } from "../../src/emails/schema.ts";
import { isoMicros } from "../../src/lib/time.ts";
import { aMail, apiOn, aWorkspace, queueThatRefuses, type TestWorkspace } from "../support/workspace.ts";

let tenant: TestWorkspace;
let apiWithoutQueue: ReturnType<typeof apiOn>;

beforeEach(async () => {
  tenant = await aWorkspace();
  apiWithoutQueue = apiOn({ WORK: queueThatRefuses }, tenant.apiKey);
});

const START = "2026-01-01T00:00:00Z";

async function updates(since: string) {
  const response = await tenant.get(`/v1/emails/updates?since=${encodeURIComponent(since)}`);
  expect(response.status).toBe(200);
  const emails = await response.json<EmailOut[]>();
  return { ids: emails.map(({ id }) => id), next: response.headers.get("X-Next-Since") ?? "" };
}

const send = async () => (await (await apiWithoutQueue.post("/v1/emails/", aMail(tenant))).json<{ id: string }>()).id;

/** Inserts a change row for these emails, as one commit does. */
async function change(ids: string[]): Promise<void> {
  await env.DB.prepare(
    `INSERT INTO changes (workspace, at_us, emails) SELECT ?1, coalesce((
       SELECT at_us + json_array_length(emails) FROM changes WHERE workspace = ?1 ORDER BY at_us DESC LIMIT 1), 0), json_group_array(n)
       FROM emails WHERE id IN (SELECT value FROM json_each(?2))`,
  )
    .bind(tenant.workspaceNumber, JSON.stringify(ids))
    .run();
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
    const { results } = await env.DB.prepare(
      "SELECT at_us, json_array_length(emails) AS size FROM changes WHERE workspace = ?1 ORDER BY at_us",
    )
      .bind(tenant.workspaceNumber)
      .all<{ at_us: number; size: number }>();
    for (const [index, row] of results.entries()) {
      const before = results[index - 1];
      if (before) expect(row.at_us).toBeGreaterThanOrEqual(before.at_us + before.size);
    }
  });

  it("accepts any offset and refuses a missing or invalid time or a time without offset", async () => {
    const id = await send();
    for (const since of ["2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00.123456-11:30", "2026-01-01T00:00Z"])
      expect((await updates(since)).ids, since).toEqual([id]);
    const unencoded = await tenant.get("/v1/emails/updates?since=2026-01-01T00:00:00+00:00");
    expect(unencoded.status).toBe(200);
    for (const query of [
      "",
      "?since=",
      "?since=yesterday",
      "?since=2026-01-01T00:00:00",
      "?since=2026-02-30T00:00:00Z",
    ]) {
      const response = await tenant.get(`/v1/emails/updates${query}`);
      expect(response.status, query).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect(detail[0]?.loc).toEqual(["query", "since"]);
    }
    expect((await updates(isoMicros((Date.now() + 1e9) * 1000))).ids).toEqual([]);
  });

  it("never returns emails of another workspace", async () => {
    await send();
    const otherTenant = await aWorkspace();
    expect(await (await otherTenant.get(`/v1/emails/updates?since=${START}`)).json()).toEqual([]);
  });
});
