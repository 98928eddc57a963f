/** Accepting emails writes everything or nothing, wherever a call of a database fails, on each mail database. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { closeStatement } from "../../../../src/platform/db/shard-workspaces.ts";
import { onShard } from "../../../../src/platform/jobs/shards.ts";
import { withFailingCall } from "../../../support/databases.ts";
import type { Moment } from "../../../support/failures.ts";
import {
  aMail,
  apiOn,
  aWorkspace,
  discardingQueue,
  type TestWorkspace,
  testContext,
} from "../../../support/workspace.ts";

const SHARDS = [0, 1] as const;
const BATCH = 3;
const MAX_CALLS = 30;

const mailOf = (shard: number) => (shard === 0 ? env.MAIL_0 : env.MAIL_1);

/** Counts what an accept writes for a workspace: emails, outbox rows, changes and responses. */
async function countRows({ workspaceNumber, mailShard }: TestWorkspace): Promise<number[]> {
  const db = mailOf(mailShard);
  const counts = [
    "SELECT count(*) AS n FROM emails WHERE workspace = ?1",
    "SELECT count(DISTINCT e.n) AS n FROM emails e JOIN outbox o ON o.id = coalesce(e.outbox_id, e.id) WHERE e.workspace = ?1",
    "SELECT coalesce(sum(json_array_length(emails)), 0) AS n FROM changes WHERE workspace = ?1",
    "SELECT count(*) AS n FROM idempotency_keys WHERE workspace = ?1",
  ].map((sql) => db.prepare(sql).bind(workspaceNumber).first<number>("n"));
  return (await Promise.all(counts)).map((count) => count ?? 0);
}

const requests = {
  "a single email": { path: "/v1/emails/", body: (of: TestWorkspace) => aMail(of), emails: 1 },
  "a batch": {
    path: "/v1/emails/batch",
    body: (of: TestWorkspace) => Array.from({ length: BATCH }, () => aMail(of)),
    emails: BATCH,
  },
};

describe.each(SHARDS)("with mail database %i", (shard) => {
  for (const [what, { path, body, emails }] of Object.entries(requests))
    for (const moment of ["before", "after"] as const satisfies Moment[])
      it(`${what} is accepted completely or not at all, whichever call fails ${moment} it runs`, async () => {
        vi.spyOn(console, "log").mockImplementation(() => {});
        const workspace = await aWorkspace({ mailShard: shard });
        let before = await countRows(workspace);
        let [refused, accepted] = [0, 0];
        for (let failing = 0; failing < MAX_CALLS; failing++) {
          const { bindings, hit } = withFailingCall({ failing, moment });
          const api = apiOn({ ...bindings, WORK: discardingQueue }, workspace.apiKey);
          const key = { "Idempotency-Key": `${failing}` };
          const { status } = await api.post(path, body(workspace), key);
          const after = await countRows(workspace);
          const added = after.map((count, at) => count - (before[at] ?? 0));
          const all = [emails, emails, emails, 1];
          expect([status, added], `call ${failing} (${hit()})`).toEqual(
            status === 202 ? [202, all] : [500, [0, 0, 0, 0]],
          );
          before = after;
          if (status === 202) accepted += 1;
          else refused += 1;
          if (hit() === null) break;
        }
        vi.restoreAllMocks();
        expect(accepted).toBeGreaterThan(0);
        expect(refused).toBeGreaterThan(0);
        expect(accepted + refused).toBeLessThan(MAX_CALLS);
      });

  it("nothing is committed after the workspace is closed, also by a request that was read before", async () => {
    const workspace = await aWorkspace({ mailShard: shard });
    const ctx = onShard(testContext(), shard);
    await ctx.outbox.batch([closeStatement(ctx, { number: workspace.workspaceNumber, id: workspace.workspaceId })]);
    const api = workspace.withoutQueue;
    for (const { path, body } of Object.values(requests)) {
      const { status } = await api.post(path, body(workspace), { "Idempotency-Key": crypto.randomUUID() });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(await countRows(workspace)).toEqual([0, 0, 0, 0]);
  });
});
