import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { indexEmails } from "../../../src/sending/emails/index.ts";
import { parseSearchQuery } from "../../../src/sending/emails/search/parse-query.ts";
import type { SearchOut } from "../../../src/sending/emails/search/schema.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { nextPath } from "../../support/next-path.ts";
import { aKey, aMail, aMember, apiWith, aWorkspace, type TestWorkspace, testContext } from "../../support/workspace.ts";

interface Sample {
  id: string;
  subject: string;
  to: { email: string; name?: string }[];
  tags: string[];
  status: string;
}

const subjects = [
  "Invoice 2041 is due",
  "Rechnung für Ägypten",
  "Re: your (late) invoice",
  "100% off_today",
  "Ünïcode",
  "a b",
  "ZZ top",
];
const people = [
  { email: "ann@alpha.example", name: "Ann Archer" },
  { email: "bob+news@beta.example" },
  { email: "Carl@Gamma.example", name: "Çelik" },
  { email: "d@delta.example" },
];
const tagLists = [[], ["a"], ["billing"], ["billing", "x y"], ["bill"], ['quote"d']];

let workspace: TestWorkspace;
const samples: Sample[] = [];

const search = async (query: string, api: Pick<TestWorkspace, "get"> = workspace) => {
  const response = await api.get(`/v1/emails/search?${query}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<SearchOut[]>();
};
const q = (text: string) => `limit=100&q=${encodeURIComponent(text)}`;

beforeAll(async () => {
  workspace = await aWorkspace();
  const apiWithoutQueue = workspace.withoutQueue;
  for (let i = 0; i < 84; i++) {
    const sample = {
      subject: subjects[i % subjects.length] ?? "",
      to: [people[i % people.length] ?? { email: "" }, ...(i % 3 === 0 ? [{ email: "extra@omega.example" }] : [])],
      tags: tagLists[i % tagLists.length] ?? [],
    };
    const { id } = await apiWithoutQueue.create("/v1/emails/", aMail(workspace, sample));
    samples.unshift({ id, status: "queued", ...sample });
    if (i === 60) await indexEmails(testContext());
  }
  const bounced = samples.filter((_, index) => index % 9 === 0);
  for (const sample of bounced) sample.status = "bounced";
  await database.run(
    "UPDATE emails SET status = 'bounced', due_at = NULL WHERE id IN (SELECT value FROM json_each(?1))",
    [JSON.stringify(bounced.map(({ id }) => id))],
  );
}, 120_000);

/** Returns the ids that the rules of docs/contract/paging.md#email-search select, computed without SQL. */
function expected(text: string): string[] {
  const query = parseSearchQuery(text);
  const has = (where: string, what: string) => where.toLowerCase().includes(what.toLowerCase());
  const holds = ({ subject, to, tags, status }: Sample) => {
    const recipients = to.map(({ email, name }) => `${email} ${name ?? ""}`.trim());
    return (
      query.to.every((text) => to.some(({ email }) => has(email, text))) &&
      query.from.every((text) => has(workspace.mailbox, text)) &&
      query.domain.every((text) => has(workspace.domain, text)) &&
      query.status.every((value) => value === status) &&
      query.tag.every((tag) => tags.includes(tag)) &&
      query.words.every((word) =>
        [`${workspace.mailbox} Hello`, subject, ...recipients].some((where) => has(where, word)),
      )
    );
  };
  return samples.filter(holds).map(({ id }) => id);
}

const found = async (text: string) => (await search(q(text))).map(({ id }) => id);

describe("GET /v1/emails/search", () => {
  const queries = [
    "",
    "invoice",
    "INVOICE due",
    "voice",
    "2041",
    "(late)",
    "100%",
    "off_to",
    "ägypten",
    "Ünï",
    "to:ann",
    "to:alpha.example to:omega",
    "to:archer",
    "to:d@",
    "to:@",
    "from:hello",
    "from:nobody",
    "domain:example",
    "status:bounced",
    "status:bounced invoice",
    "status:queued tag:billing",
    "status:queued status:bounced",
    "status:nonsense",
    "tag:billing",
    "tag:bill",
    "tag:a",
    'tag:"x y"',
    'tag:"quote"',
    "tag:nothing",
    '"is due"',
    '"due is"',
    "a b",
    "zz",
    "archer invoice",
    "ü invoice",
    "absent",
    "invoicf",
    "to: from:",
    'subject:"x',
    "%",
    "_",
    "* OR NEAR(",
    '"',
    "'; DROP TABLE emails; --",
  ];
  for (const text of queries) {
    it(`finds the emails that match ${JSON.stringify(text)}, newest first, whether indexed or not yet`, async () => {
      expect(await found(text)).toEqual(expected(text));
    });
  }

  it("finds the same emails after all are indexed", async () => {
    await indexEmails(testContext());
    for (const text of queries) expect(await found(text), text).toEqual(expected(text));
  });

  it("accepts any text and finds only emails that contain it", async () => {
    const words = fc
      .string({ unit: "binary", maxLength: 40 })
      .filter((text) => text.isWellFormed() && !text.includes("\0"));
    await fc.assert(
      fc.asyncProperty(words, async (text) => {
        const response = await workspace.get(`/v1/emails/search?${q(text)}`);
        expect([200, 422]).toContain(response.status);
        if (response.status === 200) expect(await response.json<SearchOut[]>()).toHaveLength(expected(text).length);
      }),
      { numRuns: byExtent({ quick: 50, full: 150, long: 3_000 }) },
    );
  });

  it("pages without gaps or duplicates", async () => {
    const pages = await Promise.all([0, 1, 2, 3].map((page) => search(`q=example&limit=25&page=${page}`)));
    expect(pages.flat().map(({ id }) => id)).toEqual(samples.map(({ id }) => id));
  });

  it("has a Link header to the next page for every kind of query, and none on the last page", async () => {
    for (const text of ["", "example", "in", "status:bounced", "ä", "tag:billing", "to:@"]) {
      const seen: string[] = [];
      const sizes: number[] = [];
      for (let path: string | null = `/v1/emails/search?limit=7&${q(text).replace("limit=100", "")}`; path !== null; ) {
        const response: Response = await workspace.get(path);
        const page = await response.json<SearchOut[]>();
        seen.push(...page.map(({ id }) => id));
        sizes.push(page.length);
        path = nextPath(response);
      }
      expect(seen, text).toEqual(expected(text));
      expect(
        sizes.slice(0, -1).every((size) => size === 7),
        text,
      ).toBe(true);
    }
  });

  it("continues after an email that was deleted, and knows no id of another workspace", async () => {
    const [first, second, third] = await search(`${q("example").replace("limit=100", "limit=3")}`);
    const between = `${second?.id.slice(0, -1)}${second?.id.endsWith("f") ? "e" : "f"}`;
    const after = await search(`q=example&limit=1&before=${between}`);
    expect([second?.id, third?.id]).toContain(after[0]?.id);
    expect(await search(`q=example&limit=1&before=${first?.id.toUpperCase()}`)).toMatchObject([{ id: second?.id }]);
    const otherTenant = await aWorkspace();
    expect(await search(`q=example&before=${first?.id}`, otherTenant)).toEqual([]);
    expect((await workspace.get("/v1/emails/search?before=x")).status).toBe(422);
  });

  it("returns each field of a search record", async () => {
    const [record] = await search("q=archer&limit=1");
    expect(record).toEqual({
      id: expect.any(String),
      direction: "outbound",
      from_address: workspace.mailbox,
      from_name: "Hello",
      to_addresses: expect.arrayContaining(["ann@alpha.example"]),
      subject: expect.any(String),
      status: expect.any(String),
      tags: expect.toSatisfy((tags) => tags === null || Array.isArray(tags)),
      source: "api",
      has_complaint: false,
      opened_count: 0,
      authentication: null,
      created_at: expect.any(String),
      delivered_at: null,
    });
  });

  it("finds a domain in either spelling, indexed or not yet", async () => {
    const own = await aWorkspace();
    const { id } = await own.create("/v1/emails/", aMail(own, { to: [{ email: "info@münchen.example" }] }));
    const spellings = ["to:münchen", "to:MÜNCHEN.example", "to:info@münchen.example", "to:xn--mnchen-3ya", "münchen"];
    const findAll = () =>
      Promise.all(spellings.map(async (text) => (await search(q(text), own)).map((record) => record.id)));
    expect(await findAll()).toEqual(spellings.map(() => [id]));
    await indexEmails(testContext());
    expect(await findAll()).toEqual(spellings.map(() => [id]));
    expect(await search(q("to:köln"), own)).toEqual([]);
  });

  it("accepts status and tag as parameters and refuses invalid values", async () => {
    expect((await search("status=bounced&limit=100")).map(({ id }) => id)).toEqual(expected("status:bounced"));
    expect((await search("tag=billing&limit=100")).map(({ id }) => id)).toEqual(expected("tag:billing"));
    for (const bad of [
      "status=nonsense",
      "direction=sideways",
      "limit=0",
      "limit=101",
      "page=-1",
      "q=%00",
      "page=9999&limit=100",
      "limit=0x5",
    ])
      expect((await workspace.get(`/v1/emails/search?${bad}`)).status, bad).toBe(422);
    expect((await workspace.get(`/v1/emails/search?q=${"a".repeat(500)}`)).status).toBe(200);
    expect((await workspace.get(`/v1/emails/search?q=${"a".repeat(501)}`)).status).toBe(422);
    expect((await workspace.get(`/v1/emails/search?q=${encodeURIComponent("ä".repeat(251))}`)).status).toBe(422);
  });

  it("accepts any number of tokens, and an empty tag as no filter", async () => {
    const many = (token: (i: number) => string) => Array.from({ length: 70 }, (_, i) => token(i % 9)).join(" ");
    for (const text of [many((i) => `w${i}`), many((i) => `ä${i}`), many((i) => `to:${i}`), many((i) => `tag:${i}`)])
      expect(await found(text.slice(0, 240)), text.slice(0, 20)).toEqual(expected(text.slice(0, 240)));
    const ascii = Array.from({ length: 120 }, (_, i) => String.fromCharCode(97 + (i % 26)) + (i % 10)).join(" ");
    expect(await found(ascii)).toEqual([]);
    expect(await search("tag=&limit=100")).toHaveLength(samples.length);
    expect(await search(`tag=&${q("archer")}`)).toHaveLength(expected("archer").length);
  });

  it("never finds emails of another workspace or of domains outside the key's restriction", async () => {
    const otherTenant = await aWorkspace();
    for (const text of ["invoice", "", "zz", "tag:billing", "status:bounced"])
      expect(await search(q(text), otherTenant)).toEqual([]);
    const closed = apiWith(await aKey(workspace, { domainIds: [crypto.randomUUID()] }));
    for (const text of ["invoice", "", "zz", "status:bounced"]) expect(await search(q(text), closed), text).toEqual([]);
  });

  it("does not find deleted emails", async () => {
    const other = await aWorkspace();
    const apiWithoutQueue = other.withoutQueue;
    await apiWithoutQueue.post("/v1/emails/", aMail(other, { subject: "Vanishing words" }));
    await indexEmails(testContext());
    expect(await search("q=vanishing", other)).toHaveLength(1);
    await other.call("DELETE", `/v1/workspaces/${other.workspaceId}`);
    expect(await search("q=vanishing")).toEqual([]);
  });
});

describe("saved searches", () => {
  const entry = { id: "1", name: "Due", query: "invoice", range: "7d", status: null, domain: null, source: "api" };

  it("are stored per user and replaced as a whole; unknown fields are dropped", async () => {
    const colleague = await aMember(workspace, "member");
    expect(await (await workspace.get("/v1/emails/saved-searches")).json()).toEqual({ searches: [] });
    const put = await workspace.call("PUT", "/v1/emails/saved-searches", {
      searches: [{ ...entry, admin: true }, { name: "Two" }],
    });
    expect(put.status).toBe(200);
    const stored = await put.json<{ searches: unknown[] }>();
    expect(stored.searches).toEqual([
      entry,
      { id: expect.any(String), name: "Two", query: null, range: null, status: null, domain: null, source: null },
    ]);
    expect(await (await workspace.get("/v1/emails/saved-searches")).json()).toEqual(stored);
    expect(await (await colleague.get("/v1/emails/saved-searches")).json()).toEqual({ searches: [] });
    await workspace.call("PUT", "/v1/emails/saved-searches", { searches: [] });
    expect(await (await workspace.get("/v1/emails/saved-searches")).json()).toEqual({ searches: [] });
  });

  it("are limited to 50, each with a name and a unique id", async () => {
    const many = (count: number) => ({ searches: Array.from({ length: count }, (_, i) => ({ name: `n${i}` })) });
    const put = async (body: unknown) => (await workspace.call("PUT", "/v1/emails/saved-searches", body)).status;
    expect(await put(many(50))).toBe(200);
    expect(await put(many(51))).toBe(422);
    expect(await put({ searches: [{ query: "x" }] })).toBe(422);
    expect(await put({ searches: [entry, entry] })).toBe(422);
    expect(await put({})).toBe(422);
    expect(await put([])).toBe(422);
  });
});

describe("the search index", () => {
  it("takes 2 MB of emails in a step", async () => {
    const other = await aWorkspace();
    await indexEmails(testContext());
    for (let n = 0; n < 3; n++) await other.withoutQueue.create("/v1/emails/", aMail(other));
    const recipients = [{ email: "ann@alpha.example", name: "x".repeat(1_200_000), state: "queued" }];
    await database.run("UPDATE emails SET recipients = ?2 WHERE workspace = ?1", [
      other.workspaceNumber,
      JSON.stringify(recipients),
    ]);
    expect(await indexEmails(testContext())).toBe(3);
    expect(await indexEmails(testContext())).toBe(0);
  });
});
