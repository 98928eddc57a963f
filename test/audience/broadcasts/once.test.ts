import fc from "fast-check";
import { expect, it } from "vitest";
import { sampleIssue } from "../../../src/audience/broadcasts/split.ts";
import { database, MAIL_BINDING, mail } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { type FailureInjection, failingDatabase, seeded } from "../../support/failures.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { aContactList, broadcastsOf, emailsOf, runBroadcasts, suppress } from "./support.ts";

it("kills in the middle of a broadcast leave everybody with exactly one email", async () => {
  const count = byExtent({ quick: 600, full: 2_000, long: 20_000 });
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const { id } = await broadcasts.create({ contact_list_id: await aContactList(workspace, count) });
  await broadcasts.act(id, "send");
  const injection: FailureInjection = {
    ...{ random: seeded(20261121), chance: 0.4, count: 0 },
    ...{ bindings: ["database"], moments: ["before", "after"] },
  };
  const killing = { [MAIL_BINDING]: failingDatabase(mail, injection) };
  for (let run = 0; run < 400; run++) {
    const { status, queued_count } = await broadcasts.read(id);
    if (status !== "sending" || queued_count === count) break;
    // Each run is two minutes later: the lease of a killed one has ended.
    await runOutboxAt(Date.now() + run * 130_000, killing, ["broadcast"]).catch(() => {});
  }
  expect(injection.count).toBeGreaterThan(2);
  const emails = await emailsOf(id);
  expect(emails).toHaveLength(count);
  expect(new Set(emails.map(({ email }) => email)).size).toBe(count);
  const rows = await database.value<number>(
    "SELECT count(*) AS n FROM outbox o CROSS JOIN json_each(o.ref) r JOIN emails e ON e.n = r.value JOIN broadcasts b ON b.n = e.broadcast WHERE b.id = ?1 AND o.kind = 'bulk'",
    [id],
  );
  expect(rows).toBe(count);
  expect((await broadcasts.read(id)).queued_count).toBe(count);
});

it("over random lists the sample and the remainder are disjoint, complete and of the right sizes", {
  timeout: 1_800_000,
}, async () => {
  const workspace = await aWorkspace();
  const broadcasts = broadcastsOf(workspace);
  const inputs = fc.record({
    count: fc.integer({ min: 1, max: 60 }),
    pct: fc.integer({ min: 1, max: 99 }),
    weights: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 }),
    suppressed: fc.array(fc.nat(59), { maxLength: 10 }),
    removed: fc.nat(59),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async ({ count, pct, weights, suppressed, removed }) => {
      await database.run("DELETE FROM suppressions WHERE workspace = ?1", [workspace.workspaceNumber]);
      const addresses = [...new Set(suppressed.filter((i) => i < count))].map((i) => `delivered+${i}@simulator.test`);
      await suppress(workspace, addresses);
      const eligible = count - addresses.length;
      const { id } = await broadcasts.create({
        contact_list_id: await aContactList(workspace, count),
        ab_test_pct: pct,
      });
      const variants = [];
      for (const [index, weight] of weights.entries())
        variants.push(await broadcasts.addVariant(id, `V${index}`, { weight }));
      const clamped = Math.min(90, Math.max(5, pct));
      const issue = sampleIssue(count, clamped, variants);
      expect((await broadcasts.act(id, "send")).status).toBe(issue === null ? 200 : 422);
      if (issue !== null) return;
      await runBroadcasts(Date.now(), 2);
      const sample = await emailsOf(id);
      expect(sample).toHaveLength(Math.floor((eligible * clamped) / 100 + 0.5));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const [index, weight] of weights.entries()) {
        const own = sample.filter(({ subject }) => subject === `Subject V${index}`).length;
        expect(Math.abs(own - (sample.length * weight) / total)).toBeLessThan(1);
      }
      // An edit between the phases: one contact is deleted, and one is added.
      const gone = `delivered+${removed}@simulator.test`;
      await database.run(
        "DELETE FROM contacts WHERE email_key = ?1 AND list = (SELECT l.n FROM contact_lists l JOIN broadcasts b ON b.contact_list_id = l.id WHERE b.id = ?2)",
        [gone, id],
      );
      await broadcasts.act(id, `promote/${variants[0]?.id}`);
      await runBroadcasts(Date.now(), 2);
      const all = await emailsOf(id);
      expect(new Set(all.map(({ contact }) => contact)).size).toBe(all.length);
      const expected = Array.from({ length: count }, (_, i) => `delivered+${i}@simulator.test`).filter(
        (email) => !addresses.includes(email) && (email !== gone || sample.some((one) => one.email === gone)),
      );
      expect(all.map(({ email }) => email).sort()).toEqual(expected.sort());
      expect(await broadcasts.read(id)).toMatchObject({ status: "sent", recipient_count: eligible });
    }),
    { numRuns: byExtent({ quick: 8, full: 20, long: 200 }) },
  );
});
