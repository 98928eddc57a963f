import { expect, it } from "vitest";
import { scrubClicks } from "../../../src/operations/purges/broadcast-clicks.ts";
import { database } from "../../support/databases.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";
import { broadcastsOf } from "../broadcasts/support.ts";

/** Counted links of broadcasts, by the position of the broadcast: more than a step, a step exactly, and one less. */
const LINKS = new Map([
  [0, 1_100],
  [1, 3],
  [49, 2],
  [50, 499],
  [51, 500],
  [119, 2],
]);

it("an erased address is replaced in every counted link, and the clicks stay", async () => {
  const workspace = await aWorkspace();
  const list = await workspace.create("/v1/contacts/", { name: "News" });
  const broadcasts = broadcastsOf(workspace);
  const ids: string[] = [];
  for (let n = 0; n < 120; n++)
    ids.push((await broadcasts.create({ contact_list_id: list.id, html_body: "x", subject: `${n}` })).id);
  for (const [at, links] of LINKS)
    await run(
      `WITH RECURSIVE i (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM i WHERE v < ?2)
       INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks)
       SELECT n, 'https://example.com/?m=Ada%40example.org&v=' || v, workspace, 1 FROM broadcasts, i WHERE id = ?1`,
      ...[ids[at] ?? "", links],
    );
  for (const [address, clicks] of [["ada@example.org", 5] as const, ["erased", 7] as const])
    await run(
      `INSERT INTO broadcast_clicks (broadcast, url, workspace, clicks)
       SELECT n, 'https://example.com/?m=' || ?2, workspace, ?3 FROM broadcasts WHERE id = ?1`,
      ...[ids[119] ?? "", address, clicks],
    );
  const person = { workspace: workspace.workspaceNumber, workspaceId: workspace.workspaceId, key: "ada@example.org" };
  let scrubbed = 0;
  for (let next: { after: unknown } | null = { after: null }; next !== null; ) {
    const step = await scrubClicks(testContext(), person, next.after);
    scrubbed += step.removed.links ?? 0;
    next = step.next;
  }
  const links = [...LINKS.values()].reduce((sum, size) => sum + size, 0);
  expect(scrubbed).toBe(links + 1);
  const sums = await database.row(
    `SELECT count(*) AS links, sum(clicks) AS clicks, sum(instr(lower(url), 'ada')) AS named,
              max(CASE WHEN url = 'https://example.com/?m=erased' THEN clicks END) AS merged
         FROM broadcast_clicks WHERE workspace = ?1`,
    [workspace.workspaceNumber],
  );
  expect(sums).toEqual({ links: links + 1, clicks: links + 12, named: 0, merged: 12 });
});
