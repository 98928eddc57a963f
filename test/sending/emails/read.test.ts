import { beforeAll, describe, expect, it } from "vitest";
import { uuidv7 } from "../../../src/lib/ids.ts";
import { LEASE_MS } from "../../../src/platform/outbox/rules.ts";
import { releaseLeases } from "../../../src/sending/delivery/index.ts";
import { countingDb, planOf, rowsRead } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { nextPath } from "../../support/next-path.ts";
import { run } from "../../support/sending.ts";
import {
  aKey,
  aMail,
  apiOn,
  apiWith,
  aWorkspace,
  discardingQueue,
  perSuite,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

const workspace = perSuite(aWorkspace);

interface Shown {
  id: string;
  subject: string;
  status: string;
}

const list = async (of: Pick<TestWorkspace, "get">, query = "") => {
  const response = await of.get(`/v1/emails/${query}`);
  expect(response.status, query).toBe(200);
  return response.json<Shown[]>();
};
const subjects = async (of: Pick<TestWorkspace, "get">, query = "") =>
  (await list(of, query)).map(({ subject }) => subject);

/** Inserts emails of a status with ids one second apart. Returns the ids, oldest first. */
async function insertEmails(of: TestWorkspace, count: number, status = "delivered", from = 0): Promise<string[]> {
  const start = Date.UTC(2026, 0, 1);
  const ids = Array.from({ length: count }, (_, i) => {
    const time = (start + (from + i) * 1000).toString(16).padStart(12, "0");
    return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${crypto.randomUUID().slice(-12)}`;
  });
  await run(
    `INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients,
       events, content_offset, content_size, created_at)
     SELECT ?1, value, ?2, 'api', ?3, ?4, 'a@example.org', '<x@y>', 'mail ' || CAST(key + ?6 AS INTEGER), '[]', '[]', 0, 0, 1
       FROM json_each(?5)`,
    ...[of.workspaceNumber, status, of.domainId, of.mailboxId, JSON.stringify(ids), from],
  );
  return ids;
}

/** Returns the `n` of the second email that was inserted. */
const secondOf = async (of: TestWorkspace) =>
  (
    await database.row<{ n: number }>("SELECT n FROM emails WHERE workspace = ?1 ORDER BY n LIMIT 1 OFFSET 1", [
      of.workspaceNumber,
    ])
  )?.n;

describe("GET /v1/emails/", () => {
  it("lists newest first, 20 by default, without gaps or duplicates across pages", async () => {
    const other = await aWorkspace();
    await insertEmails(other, 45);
    const newestFirst = Array.from({ length: 45 }, (_, i) => `mail ${44 - i}`);
    expect(await subjects(other)).toEqual(newestFirst.slice(0, 20));
    expect(await subjects(other, "?page=1")).toEqual(newestFirst.slice(20, 40));
    expect(await subjects(other, "?page=2")).toEqual(newestFirst.slice(40));
    expect(await subjects(other, "?page=3")).toEqual([]);
    expect(await subjects(other, "?limit=100")).toEqual(newestFirst);
    expect(await subjects(other, "?limit=1&page=44")).toEqual(["mail 0"]);
  });

  it("continues below the id in `before`, in upper or lower case, also for an id of another workspace", async () => {
    const other = await aWorkspace();
    const ids = await insertEmails(other, 5);
    const id = ids[2] ?? "";
    for (const before of [id, id.toUpperCase()])
      expect(await subjects(other, `?before=${before}`)).toEqual(["mail 1", "mail 0"]);
    expect(await subjects(workspace, `?before=${id}`)).toEqual([]);
  });

  it("lists each email under its own status only, and a claimed email as sending", async () => {
    const other = await aWorkspace();
    const stored = ["scheduled", "queued", "sent", "delivered", "bounced", "rejected", "failed", "cancelled"];
    for (const [at, status] of stored.entries()) await insertEmails(other, 1, status, at);
    const queued = "FROM emails WHERE workspace = ?1 AND status = 'queued'";
    await run(
      `INSERT INTO outbox (due_at, id, kind, ref, workspace) SELECT created_at, id, 'deliver', json_array(n), workspace ${queued}`,
      other.workspaceNumber,
    );
    for (const [at, status] of stored.entries())
      expect(await subjects(other, `?status=${status}`)).toEqual([`mail ${at}`]);
    expect(await subjects(other, "?status=sending")).toEqual([]);
    // An outbox row with a token is claimed.
    await run(
      `UPDATE outbox SET leased_until = ?2, token = 'a run' WHERE id IN (SELECT id ${queued})`,
      other.workspaceNumber,
      Date.now() + LEASE_MS,
    );
    expect(await list(other, "?status=sending")).toMatchObject([{ subject: "mail 1", status: "sending" }]);
    expect(await subjects(other, "?status=queued")).toEqual([]);
    expect((await list(other)).map(({ status }) => status).sort()).toEqual(
      stored.map((status) => (status === "queued" ? "sending" : status)).sort(),
    );
  });

  it("has a Link header to the next page whenever more emails follow, and none on the last page", async () => {
    const other = await aWorkspace();
    await insertEmails(other, 45);
    await insertEmails(other, 3, "bounced", 45);
    const seen: string[] = [];
    let path: string | null = "/v1/emails/?limit=15&status=delivered&page=0";
    for (let pages = 0; path !== null; pages++) {
      expect(pages).toBeLessThan(3);
      const response = await other.get(path);
      seen.push(...(await response.json<Shown[]>()).map(({ subject }) => subject));
      path = nextPath(response);
    }
    expect(seen).toEqual(Array.from({ length: 45 }, (_, i) => `mail ${44 - i}`));
    const exact = await other.get("/v1/emails/?limit=48");
    expect([(await exact.json<Shown[]>()).length, exact.headers.get("Link")]).toEqual([48, null]);
    expect(nextPath(await other.get("/v1/emails/?page=1&limit=40"))).toBeNull();
    expect(nextPath(await other.get("/v1/emails/?page=0&limit=40"))).toMatch(/^\/v1\/emails\/\?limit=40&before=/);
  });

  it("a key restricted to domains reaches emails beyond the newest 10,000 by Link headers", async () => {
    const other = await aWorkspace();
    const key = apiWith(await aKey(other, { domainIds: [other.domainId] }));
    await insertEmails(other, 2);
    await insertEmails(other, 10_001, "delivered", 2);
    await run(
      "UPDATE emails SET domain_id = 'another' WHERE workspace = ?1 AND n > ?2",
      other.workspaceNumber,
      await secondOf(other),
    );
    const seen: string[] = [];
    let path: string | null = "/v1/emails/";
    for (let pages = 0; path !== null; pages++) {
      expect(pages).toBeLessThan(3);
      const response = await key.get(path);
      seen.push(...(await response.json<Shown[]>()).map(({ subject }) => subject));
      path = nextPath(response);
    }
    expect(seen).toEqual(["mail 1", "mail 0"]);
  });

  it("applies status and page together", async () => {
    const other = await aWorkspace();
    for (let i = 0; i < 6; i++) await insertEmails(other, 1, i % 2 ? "bounced" : "delivered", i);
    expect(await subjects(other, "?status=bounced&limit=2")).toEqual(["mail 5", "mail 3"]);
    expect(await subjects(other, "?status=bounced&limit=2&page=1")).toEqual(["mail 1"]);
  });

  it("never lists emails of another workspace, for any filter, page or id", async () => {
    const [mine, otherTenant] = [await aWorkspace(), await aWorkspace()];
    const foreign = await insertEmails(otherTenant, 3, "failed");
    await insertEmails(mine, 1, "failed");
    for (const query of ["", "?status=failed", `?before=${foreign[2]}`, "?limit=100"]) {
      const ids = (await list(mine, query)).map(({ id }) => id);
      expect(ids.filter((id) => foreign.includes(id))).toEqual([]);
    }
  });

  const bad = ["page=-1", "page=1.5", "page=x", "page=NaN", "page=1e400", "page=9007199254740993"];
  const worse = [
    "limit=0",
    "limit=101",
    "limit=-1",
    "limit=",
    "limit=1&limit=2",
    "limit=0x5",
    "limit=1e1",
    "limit=%205",
    "limit=5.0",
    "limit=+5",
    "page=0x1",
    "page=1001&limit=100",
    "page=5001&limit=20",
  ];
  for (const query of [...bad, ...worse, "status=nonsense", "status=", "before=x"]) {
    it(`?${query} is 422 in the query`, async () => {
      const response = await workspace.get(`/v1/emails/?${query}`);
      expect(response.status).toBe(422);
      const { detail } = await response.json<{ detail: { loc: string[] }[] }>();
      expect([...new Set(detail.map(({ loc }) => loc.join(".")))]).toEqual([`query.${query.split("=")[0]}`]);
    });
  }

  it("skips up to 100,000 rows and ignores unknown parameters; a deeper page is refused with the cursor to use", async () => {
    const deep = await workspace.get("/v1/emails/?page=1001&limit=100");
    expect(await deep.json()).toMatchObject({ detail: [{ msg: expect.stringContaining("Use before to continue") }] });
    for (const query of [
      "?page=1000&limit=100",
      "?page=5000&limit=20",
      "?page=0",
      "?limit=100&nonsense=1&__proto__=2",
    ]) {
      await list(workspace, query);
    }
  });
});

describe("GET /v1/emails/{id} and /events", () => {
  it("return the same events, oldest first, each with id, type, metadata and time", async () => {
    const api = workspace.withoutQueue;
    const { id } = await api.create("/v1/emails/", aMail(workspace));
    const events = await (await api.get(`/v1/emails/${id}/events`)).json<unknown[]>();
    expect(events).toEqual([
      { id: expect.any(String), event_type: "queued", metadata: null, created_at: expect.stringMatching(/Z$/) },
    ]);
    expect(await (await api.get(`/v1/emails/${id}`)).json()).toMatchObject({ events });
  });

  it("return null bodies and empty headers when the content is deleted", async () => {
    const [id] = await insertEmails(workspace, 1);
    const detail = await (await workspace.get(`/v1/emails/${id}`)).json();
    expect(detail).toMatchObject({ id, text_body: null, html_body: null, headers: {}, events: [] });
  });

  it("accept an id in any letter case and return it in lower case", async () => {
    const [id = ""] = await insertEmails(workspace, 1);
    for (const spelling of [id, id.toUpperCase()]) {
      expect(await (await workspace.get(`/v1/emails/${spelling}`)).json()).toMatchObject({ id });
      expect((await workspace.get(`/v1/emails/${spelling}/events`)).status).toBe(200);
    }
  });
});

describe("D1 queries", () => {
  const heavy = perSuite(aWorkspace);

  /** Runs one call with a cached key; returns the round trip of authentication and the rest. */
  async function tripsOf(call: (api: ReturnType<typeof apiOn>) => Promise<Response>) {
    const { bindings, trips } = countingDb();
    const api = apiOn({ ...bindings, WORK: discardingQueue }, heavy.apiKey);
    await api.get("/v1/me");
    trips.length = 0;
    const response = await call(api);
    expect(response.status).toBeLessThan(300);
    const [authentication, ...rest] = trips;
    expect(authentication?.statements[0]?.sql).toContain("FROM api_keys");
    return { authentication: authentication?.statements[0] ?? { binding: "DB" as const, sql: "", values: [] }, rest };
  }

  const statementOf = async (query: string) => {
    const { rest } = await tripsOf((api) => api.get(`/v1/emails/${query}`));
    expect(rest).toHaveLength(1);
    return rest[0]?.statements[0] ?? { binding: "DB" as const, sql: "", values: [] };
  };

  beforeAll(async () => {
    await insertEmails(heavy, 50);
  });

  it("authentication is one round trip that reads at most 8 rows", async () => {
    const { authentication, rest } = await tripsOf((api) => api.get("/v1/me"));
    expect(rest).toEqual([]);
    expect(await rowsRead(authentication)).toBeLessThanOrEqual(8);
  });

  it("a list is one round trip and reads the same number of rows with 40 times the emails", async () => {
    const page = await statementOf("");
    const before = await rowsRead(page);
    expect(before).toBeLessThanOrEqual(2 * 20);
    await insertEmails(heavy, 1_950, "delivered", 50);
    expect(await rowsRead(page)).toBe(before);
    expect(await rowsRead(await statementOf("?status=bounced"))).toBeLessThanOrEqual(2);
    expect(await rowsRead(await statementOf("?limit=1"))).toBeLessThanOrEqual(2);
    expect(await rowsRead(await statementOf(`?before=${uuidv7(Date.now())}&limit=10`))).toBeLessThanOrEqual(20);
  });

  it("detail and events are one round trip each and read at most 2 rows", async () => {
    const [id] = await insertEmails(heavy, 1, "delivered", 5_000);
    for (const path of [`/v1/emails/${id}`, `/v1/emails/${id}/events`]) {
      const { rest } = await tripsOf((api) => api.get(path));
      expect(rest).toHaveLength(1);
      expect(
        await rowsRead(rest[0]?.statements[0] ?? { binding: "DB" as const, sql: "", values: [] }),
      ).toBeLessThanOrEqual(2);
    }
  });

  it("a send is two round trips, and writes one row each for email, outbox row, their indexes and changes", async () => {
    await tripsOf((api) => api.post("/v1/emails/", aMail(heavy)));
    const { rest } = await tripsOf((api) => api.post("/v1/emails/", aMail(heavy)));
    expect(rest.map(({ rowsWritten }) => rowsWritten)).toEqual([5]);
  });

  it("validate is one round trip and writes no row", async () => {
    const { rest } = await tripsOf((api) => api.post("/v1/emails/validate", aMail(heavy)));
    expect(rest.map(({ rowsWritten }) => rowsWritten)).toEqual([0]);
  });

  it("the list reads an index in order; rare statuses use emails_by_rare_status", async () => {
    const indexOf = async (query: string) => {
      const plan = await planOf(await statementOf(query));
      expect(plan.join("\n"), query).not.toMatch(/TEMP B-TREE|SCAN e /);
      return /USING INDEX (\w+)/.exec(plan.find((step) => step.includes(" e ")) ?? "")?.[1];
    };
    for (const query of ["", "?page=3", "?status=delivered"]) {
      expect(await indexOf(query), query).toBe("emails_by_id");
    }
    for (const status of ["scheduled", "sent", "bounced", "rejected", "failed", "cancelled"]) {
      expect(await indexOf(`?status=${status}`), status).toBe("emails_by_rare_status");
      expect(await indexOf(`?status=${status}&before=${crypto.randomUUID()}`), status).toBe("emails_by_rare_status");
    }
  });

  it("listing queued or sending emails reads under 20 rows when there are none", async () => {
    await run("DELETE FROM outbox WHERE kind = 'deliver'");
    for (const status of ["queued", "sending"])
      expect(await rowsRead(await statementOf(`?status=${status}`)), status).toBeLessThan(20);
  });

  it("an email whose lease was released is listed as queued again", async () => {
    const other = await aWorkspace();
    const { id } = await (await other.withoutQueue.post("/v1/emails/", aMail(other))).json<{
      id: string;
    }>();
    await run("UPDATE outbox SET token = '0', leased_until = ?2 WHERE id = ?1", id, Date.now() + LEASE_MS);
    expect(await subjects(other, "?status=sending")).toEqual(["A subject"]);
    await releaseLeases(testContext(), Date.now());
    expect(await subjects(other, "?status=sending")).toEqual([]);
    expect(await list(other, "?status=queued")).toMatchObject([{ status: "queued" }]);
  });

  it("listing queued or sending emails does not scan sent emails", async () => {
    for (const status of ["queued", "sending"]) {
      const plan = (await planOf(await statementOf(`?status=${status}`))).join("\n");
      expect(plan, status).not.toMatch(/SCAN (e|emails)\b/);
      expect(plan, status).not.toMatch(/SEARCH e USING INDEX emails_by_id \(workspace=\?\)/);
    }
  });

  it("authentication and detail use an index and scan no table", async () => {
    const { authentication } = await tripsOf((api) => api.get("/v1/me"));
    const plan = (await planOf(authentication)).join("\n");
    expect(plan).toContain("api_keys_by_hash");
    expect(plan.replace(/SCAN json_each.*/g, "")).not.toContain("SCAN");
    const results = await database.rows<{ id: string }>("SELECT id FROM emails WHERE workspace = ?1 LIMIT 1", [
      heavy.workspaceNumber,
    ]);
    const { rest } = await tripsOf((api) => api.get(`/v1/emails/${results[0]?.id}`));
    const detail = await planOf(rest[0]?.statements[0] ?? { binding: "DB" as const, sql: "", values: [] });
    expect(detail[0]).toContain("emails_by_id (workspace=? AND id=?)");
  });
});
