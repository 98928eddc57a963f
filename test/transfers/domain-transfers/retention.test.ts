import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { timeOfId } from "../../../src/lib/ids.ts";
import { database } from "../../support/databases.ts";
import { runMainRetention } from "../../support/retention.ts";
import { aToken, DAY, insertTransfer, ownerOf } from "../../support/transfers.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

it("a closed transfer is deleted with its tokens after a year, an active one is kept", async () => {
  const [source, target] = await Promise.all([aWorkspace(), aWorkspace()]);
  const email = await ownerOf(target);
  const [closed, active] = [await insertTransfer({ source, email }), await insertTransfer({ source, email })];
  await database.run("UPDATE domain_transfers SET status = 'declined' WHERE id = ?1", [closed.id]);
  for (const { id } of [closed, active]) await aToken("accept", id);
  const left = async (table: string, column: string) => {
    const { results } = await env.DB.prepare(`SELECT ${column} AS id FROM ${table} ORDER BY 1`).all<{ id: string }>();
    return results.map(({ id }) => id);
  };
  // Other files move the clock, and the times of ids never go back.
  const insertedAt = timeOfId(active.id);
  await runMainRetention(testContext({}, () => insertedAt + 364 * DAY));
  expect(await left("domain_transfers", "id")).toEqual([closed.id, active.id].sort());
  await runMainRetention(testContext({}, () => insertedAt + 366 * DAY));
  expect(await left("domain_transfers", "id")).toEqual([active.id]);
  expect(await left("domain_transfer_tokens", "transfer_id")).toEqual([active.id]);
});
