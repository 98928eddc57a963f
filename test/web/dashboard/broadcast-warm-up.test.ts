import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aContactList } from "../../audience/broadcasts/support.ts";
import { countingDb, rowsRead } from "../../support/counting-db.ts";
import { database } from "../../support/databases.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { GATEWAY_HEADERS } from "../../support/submissions.ts";
import {
  apiOn,
  apiWith,
  aWorkspace,
  discardingQueue,
  type TestWorkspace,
  testContext,
} from "../../support/workspace.ts";

/** The review of a broadcast says how many days it takes when its source address is new. */

const DAY = 86_400_000;
const ADDRESS = "192.0.2.158";
const RELAY = "relay.warm.test";
const urlOf = (host: string) => `smtps://user:password@${host}`;

let workspace: TestWorkspace;
let cookie: string;

async function clear() {
  await database.run("DELETE FROM egress_warm_ups");
  await database.run("DELETE FROM egress_volume WHERE address = ?1", [ADDRESS]);
}
beforeEach(async () => {
  await clear();
  workspace = await aWorkspace();
  cookie = `session=${(await aSession(workspace)).tokens.accessToken}`;
  const known = [
    ["gmail.test", "google"],
    ["hotmail.test", "outlook"],
  ];
  for (const [domain, receiver] of known)
    await database.run("INSERT OR REPLACE INTO receiver_domains VALUES (?1, ?2, ?3)", [domain, receiver, Date.now()]);
});
afterEach(clear);

/** Tells the warm-up of an egress, as it does when it starts. */
const tell = (fields: Record<string, unknown> = {}) =>
  apiWith(null).post(
    "/gateway/volume",
    { address: ADDRESS, name: RELAY, warm_up: { since: null }, ...fields },
    GATEWAY_HEADERS,
  );

/** Creates a draft for these numbers of contacts by domain and returns the path of its review. */
async function aDraft(counts: Record<string, number>): Promise<string> {
  const list = await aContactList(workspace, 0);
  const results = await database.rows<{ n: number }>("SELECT n FROM contact_lists WHERE id = ?1", [list]);
  const contacts = Object.entries(counts).flatMap(([domain, count]) =>
    Array.from({ length: count }, (_, n) => ({ id: testContext().newId(), email: `c${n}@${domain}` })),
  );
  await database.run(
    `INSERT INTO contacts (workspace, list, id, email, email_key, created_at)
       SELECT ?1, ?2, value->>'id', value->>'email', value->>'email', 0 FROM json_each(?3)`,
    [workspace.workspaceNumber, results[0]?.n, JSON.stringify(contacts)],
  );
  const body = {
    name: "News",
    subject: "S",
    html_body: "<p>T</p>",
    from_address: workspace.mailbox,
    contact_list_id: list,
  };
  const { id } = await workspace.create("/v1/broadcasts/", body);
  return `/app/broadcasts/${id}/review`;
}

/** Returns what the review says of a new address, with these egresses. */
async function said(path: string, bindings: Record<string, unknown> = {}): Promise<string | null> {
  const api = apiOn({ WORK: discardingQueue, EGRESS_URL: urlOf(RELAY), BULK_EGRESS_URL: "", ...bindings }, null);
  const page = await api.call("GET", path, undefined, { Cookie: cookie });
  expect(page.status).toBe(200);
  return /<p>([^<]*sending address[^<]*)<\/p>/.exec(await page.text())?.[1] ?? null;
}

describe("the review of a broadcast", () => {
  it("says nothing of days when no egress has a warm-up, or none any more", async () => {
    const path = await aDraft({ "hotmail.test": 60 });
    expect(await said(path)).toBeNull();
    await tell();
    expect(await said(path)).not.toBeNull();
    await tell({ warm_up: null });
    expect(await said(path)).toBeNull();
  });

  it("says how many days it takes, and which receiver is the reason", async () => {
    await tell();
    expect(await said(await aDraft({ "gmail.test": 70, "hotmail.test": 60 }))).toBe(
      "Because the sending address is new, this takes about 2 days: 60 of 130 go to Outlook.",
    );
    expect(await said(await aDraft({ "a.test": 60, "b.test": 60, "c.test": 1 }))).toBe(
      "Because the sending address is new, this takes about 2 days: 121 of 121 go to other mail systems.",
    );
    expect(await said(await aDraft({ "gmail.test": 3 }))).toBe(
      "The sending address is new. All of it can leave within a day.",
    );
  });

  it("counts what has left today, and the days since the first mail", async () => {
    await tell();
    const today = Math.floor(Date.now() / DAY);
    const volume = env.DB.prepare("INSERT INTO egress_volume VALUES (?1, 'outlook', ?2, ?3)");
    await volume.bind(ADDRESS, today, 45).run();
    const path = await aDraft({ "hotmail.test": 50 });
    expect(await said(path)).toContain("about 2 days");
    await volume.bind(ADDRESS, today - 1, 50).run();
    expect(await said(path)).toContain("within a day");
  });

  it("takes the egress of broadcasts where there is one, and the slowest one when it is not known", async () => {
    await tell();
    await tell({ address: "192.0.2.159", name: "Old.Warm.test.", warm_up: null });
    const path = await aDraft({ "hotmail.test": 60 });
    expect(await said(path, { EGRESS_URL: urlOf("old.warm.test") })).toBeNull();
    expect(await said(path, { BULK_EGRESS_URL: urlOf("old.warm.test") })).toBeNull();
    expect(await said(path, { EGRESS_URL: urlOf("old.warm.test"), BULK_EGRESS_URL: urlOf(RELAY) })).toContain("2 days");
    expect(await said(path, { EGRESS_URL: urlOf("internal.example") })).toContain("2 days");
    expect(await said(path, { EGRESS_URL: "" })).toContain("2 days");
  });

  it("takes the egress of the domain where it has one of its own", async () => {
    await tell();
    await tell({ address: "192.0.2.159", name: "old.warm.test", warm_up: null });
    const path = await aDraft({ "hotmail.test": 60 });
    const named = { NAMED_EGRESS_URLS: `warm=${urlOf(RELAY)}`, EGRESS_URL: urlOf("old.warm.test") };
    expect(await said(path, named)).toBeNull();
    await database.run("UPDATE domains SET egress = 'warm' WHERE id = ?1", [workspace.domainId]);
    expect(await said(path, named)).toContain("2 days");
  });

  it("forgets an egress that has told nothing for three days", async () => {
    await tell();
    await database.run("UPDATE egress_warm_ups SET seen_at = seen_at - ?1", [3 * DAY + 1]);
    expect(await said(await aDraft({ "hotmail.test": 60 }))).toBeNull();
    const left = async () => {
      await runMainRetention(testContext());
      return database.value<number>("SELECT count(*) AS n FROM egress_warm_ups");
    };
    expect(await left()).toBe(0);
    await tell();
    expect(await left()).toBe(1);
  });

  it("reads at most 1,000 contacts of a list, and few rows of the main database, in one call more", async () => {
    await tell();
    const domains = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}.test`, 10]));
    const path = await aDraft({ ...domains, "hotmail.test": 60 });
    const { bindings, trips } = countingDb();
    expect(await said(path, bindings)).toContain("days");
    const statements = trips.flatMap((trip) => trip.statements);
    expect(trips.filter((trip) => trip.statements[0]?.binding === "DB")).toHaveLength(2);
    const readBy = async (word: string) => {
      const statement = statements.find(({ sql }) => sql.includes(word));
      return statement ? rowsRead(statement) : Number.NaN;
    };
    // Both ends of the list, each contact by its index, and the work of grouping them.
    expect(await readBy("is_eligible")).toBeLessThanOrEqual(5_000);
    expect(await readBy("egress_warm_ups")).toBeLessThanOrEqual(1_000);
  });
});

describe("what an egress tells of its warm-up", () => {
  const row = () => database.row("SELECT * FROM egress_warm_ups WHERE address = ?1", [ADDRESS]);

  it("is written again only after an hour, or when it has changed", async () => {
    await tell();
    const first = await row();
    expect(first).toMatchObject({ name: RELAY, is_warming: 1, since: null });
    await database.run("UPDATE egress_warm_ups SET seen_at = seen_at - 3500000");
    const before = await row();
    await tell();
    expect(await row()).toEqual(before);
    const since = Date.UTC(2026, 10, 20);
    await tell({ warm_up: { since } });
    expect(await row()).toMatchObject({ is_warming: 1, since });
    await database.run("UPDATE egress_warm_ups SET seen_at = 1");
    await tell({ warm_up: { since } });
    expect(Number((await row())?.seen_at)).toBeGreaterThan(1);
  });

  it("is nothing when an earlier version asks for its volume", async () => {
    const response = await apiWith(null).post("/gateway/volume", { address: ADDRESS }, GATEWAY_HEADERS);
    expect(await response.json()).toEqual({ reply: null, receivers: [] });
    expect(await row()).toBeNull();
  });
});
