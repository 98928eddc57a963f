import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { runMainRetention } from "../../support/retention.ts";
import { aSession } from "../../support/sessions.ts";
import { aMagicLink } from "../../support/sign-ins.ts";
import { aWorkspace, testContext } from "../../support/workspace.ts";

const DAY_MS = 24 * 3_600_000;

it("deletes sessions, refresh tokens and sign-in links once they have expired, and no other", async () => {
  const workspace = await aWorkspace();
  const now = Date.now();
  const expired = await aSession(workspace, { ctx: testContext({}, () => now - 31 * DAY_MS) });
  const valid = await aSession(workspace, { ctx: testContext({}, () => now - 29 * DAY_MS) });
  const address = `${crypto.randomUUID()}@example.org`;
  await aMagicLink(address, now - 15 * 60_000);
  await aMagicLink(address, now);
  await runMainRetention(testContext({}, () => now));
  const idsOf = async (sql: string, value: string) => {
    const { results } = await env.DB.prepare(sql).bind(value).all<{ id: string }>();
    return results.map(({ id }) => id);
  };
  expect(await idsOf("SELECT id FROM sessions WHERE user_id = ?1", workspace.userId)).toEqual([valid.sessionId]);
  const families = JSON.stringify([expired.sessionId, valid.sessionId]);
  const ofFamilies = "SELECT family AS id FROM refresh_tokens WHERE family IN (SELECT value FROM json_each(?1))";
  expect(await idsOf(ofFamilies, families)).toEqual([valid.sessionId]);
  expect(await idsOf("SELECT hash AS id FROM one_time_tokens WHERE subject = ?1", address)).toHaveLength(1);
});
