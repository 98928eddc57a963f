import { beforeAll, describe, expect, it } from "vitest";
import { database } from "../support/databases.ts";
import { aKey, apiWith, aWorkspace, perSuite, type TestWorkspace } from "../support/workspace.ts";

/**
 * Lists that carry `Link: <…>; rel="next"` whenever there are more rows (docs/contract/paging.md#pages-and-cursors): domains,
 * mailboxes, API keys.
 */

const ROWS = 101;
const workspace = perSuite(aWorkspace);
const empty = perSuite(aWorkspace);

const NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)";
const INSERTS = [
  `${NUMBERS} INSERT INTO domains (id, workspace, name, status, reversed_name, ownership_token, created_at)
   SELECT lower(hex(randomblob(4))) || '-0000-7000-8000-' || printf('%012d', n), ?1, 'd' || (n * 7 % 997) || '.test',
     'pending', 'test.d' || n || '.', '', 1 FROM numbers`,
  `${NUMBERS} INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, created_at)
   SELECT lower(hex(randomblob(4))) || '-0000-7000-8000-' || printf('%012d', n), ?1, ?3, 'm' || n,
     'm' || (n * 7 % 997) || '+&é@d.test', 1 FROM numbers`,
];

beforeAll(async () => {
  // The seed of a workspace has one domain, one mailbox and one API key.
  const { workspaceNumber, domainId } = workspace;
  await database
    .prepare(INSERTS[0] ?? "")
    .bind(workspaceNumber, ROWS - 1)
    .run();
  await database
    .prepare(INSERTS[1] ?? "")
    .bind(workspaceNumber, ROWS - 1, domainId)
    .run();
  for (let key = 1; key < ROWS; key++) await aKey(workspace);
});

const nextOf = (response: Response): string | null => {
  const link = response.headers.get("Link");
  if (link === null) return null;
  const [, url = ""] = /^<(http:\/\/127\.0\.0\.1:8787\/[^>]+)>; rel="next"$/.exec(link) ?? [];
  expect(url, link).not.toBe("");
  const { pathname, search } = new URL(url);
  return pathname + search;
};

/** Follows the links from a path to the end. Returns the ids and the size of each page. */
async function follow(path: string, api: Pick<TestWorkspace, "get"> = workspace) {
  const ids: string[] = [];
  const sizes: number[] = [];
  for (let next: string | null = path; next !== null; ) {
    const response = await api.get(next);
    expect(response.status, next).toBe(200);
    const rows = await response.json<{ id: string }[]>();
    ids.push(...rows.map(({ id }) => id));
    sizes.push(rows.length);
    next = nextOf(response);
  }
  return { ids, sizes };
}

for (const path of ["/v1/domains/", "/v1/mailboxes/", "/v1/api-keys/"]) {
  describe(`GET ${path}`, () => {
    it("returns 100 rows by default and links to the rest", async () => {
      const { ids, sizes } = await follow(path);
      expect(sizes).toEqual([100, 1]);
      expect(new Set(ids).size).toBe(ROWS);
    });

    it("with any limit up to 500 shows each row once, in the order of one page, and cuts none silently", async () => {
      const whole = await follow(`${path}?limit=500`);
      expect(whole.sizes).toEqual([ROWS]);
      for (const limit of [1, 7, 100, ROWS]) expect((await follow(`${path}?limit=${limit}`)).ids).toEqual(whole.ids);
      expect((await follow(`${path}?limit=40&page=1`)).ids).toEqual(whole.ids.slice(40));
    });

    it("has no link on a last page that is full, nor beyond the end", async () => {
      expect((await workspace.get(`${path}?limit=${ROWS}`)).headers.get("Link")).toBeNull();
      const beyond = await workspace.get(`${path}?limit=100&page=5`);
      expect([beyond.headers.get("Link"), await beyond.json()]).toEqual([null, []]);
      expect((await empty.get(path)).headers.get("Link")).toBeNull();
    });

    it("keeps the other parameters of the query in the link", async () => {
      const response = await workspace.get(`${path}?limit=2&domain_id=${workspace.domainId}&page=1&unknown=%26`);
      const next = new URL(`http://x${nextOf(response)}`).searchParams;
      expect([next.get("limit"), next.get("unknown"), next.get("page")]).toEqual(["2", "&", null]);
      expect(next.get("domain_id")).toBe(workspace.domainId);
    });

    it("returns 422 to limits out of range, and no row of another workspace to any cursor", async () => {
      for (const limit of ["0", "501", "-1", "x", "1.5"])
        expect((await workspace.get(`${path}?limit=${limit}`)).status, limit).toBe(422);
      const others = new Set((await follow(`${path}?limit=500`)).ids);
      for (const after of ["", "%00", "~", "a", workspace.domainId, workspace.domainId.toUpperCase(), "%F0%9F%98%80"]) {
        const response = await empty.get(`${path}?after=${after}`);
        expect(response.status, after).toBe(200);
        for (const { id } of await response.json<{ id: string }[]>()) expect(others).not.toContain(id);
      }
    });
  });
}

describe("GET /v1/api-keys/ by a key that is restricted to domains", () => {
  it("links only to keys that it may see", async () => {
    const domainIds = [workspace.domainId];
    const keys = [];
    for (let n = 0; n < 5; n++) keys.push(await aKey(workspace, { domainIds }));
    const { ids, sizes } = await follow("/v1/api-keys/?limit=2", apiWith(keys[0] ?? ""));
    expect(sizes).toEqual([2, 2, 1]);
    expect(new Set(ids).size).toBe(5);
  });
});
