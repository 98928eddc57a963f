import fc from "fast-check";
import { expect, it } from "vitest";
import type { HitMessage } from "../../../src/sending/tracking/index.ts";
import { database } from "../../support/databases.ts";
import { byExtent } from "../../support/extent.ts";
import { seeded, shuffled } from "../../support/failures.ts";
import { run } from "../../support/sending.ts";
import { aWorkspace } from "../../support/workspace.ts";
import { aDeliveredMail, aHit, consume, READER, rollupTotals, SENT_AT } from "./support.ts";

interface Row {
  id: string;
  opened_count: number;
  clicked_count: number;
  events: string;
}

const RESET = `UPDATE emails SET events = '[]', hits = NULL, opened_count = 0, clicked_count = 0 WHERE workspace = ?1`;

it("counters and roll-ups equal a recount of the events, for hits in any order, delivered three times and split anyhow", async () => {
  const workspace = await aWorkspace();
  const addresses = ["a@one.example", "b@one.example", "c@two.example"];
  const ids = await Promise.all(addresses.map((address) => aDeliveredMail(workspace, address)));
  const hit = fc.record({
    email: fc.nat(2),
    kind: fc.constantFrom("open" as const, "click" as const),
    ua: fc.constantFrom(READER, READER, "", "curl/8"),
    after: fc.constantFrom(-1, 0, 1_000, 4_999, 5_000, 5_001, 59_999, 60_000, 65_000, 125_000),
    ip: fc.constantFrom("192.0.2.1", "192.0.2.2", ""),
    path: fc.constantFrom("a", "b", "c"),
  });

  await fc.assert(
    fc.asyncProperty(
      fc.array(hit, { maxLength: 40 }),
      fc.integer(),
      fc.integer({ min: 1, max: 40 }),
      async (drawn, seed, size) => {
        await run(RESET, workspace.workspaceNumber);
        await run("DELETE FROM rollups_hourly WHERE workspace = ?1", workspace.workspaceNumber);
        const random = seeded(seed);
        const hits = drawn.map(({ email, kind, ua, after, ip, path }) => {
          const link = kind === "click" ? { url: `https://shop.example/${path}` } : {};
          return aHit(workspace, ids[email] ?? "", { kind, ua, ip, at: SENT_AT + after, ...link });
        });
        const all = shuffled([...hits, ...hits, ...hits], random);
        for (let at = 0; at < all.length; at += size) await consume(all.slice(at, at + size));

        const results = await database.rows<Row>(
          "SELECT id, opened_count, clicked_count, events FROM emails WHERE workspace = ?1",
          [workspace.workspaceNumber],
        );
        const expected: Record<string, [number, number]> = {};
        for (const row of results) {
          const emailHits = hits.filter(({ email }) => email === row.id);
          const events = JSON.parse(row.events) as {
            id: string;
            type: string;
            metadata: { machine?: true; repeat?: true };
          }[];
          const counted = (type: string) =>
            events.filter(({ type: kind, metadata }) => kind === type && !metadata.machine && !metadata.repeat).length;
          const counts = [row.opened_count, row.clicked_count];
          expect(counts).toEqual([counted("open"), counted("click")]);
          expect(counts).toEqual([expectedCount(emailHits, "open"), expectedCount(emailHits, "click")]);
          const machines = events.filter(({ metadata }) => metadata.machine).map((event) => event.id);
          expect(machines.sort()).toEqual(machinesAmong(emailHits).sort());
          expect(events.map(({ id }) => id).sort()).toEqual(emailHits.map(({ id }) => id).sort());
          for (const domain of ["", addresses[ids.indexOf(row.id)]?.split("@")[1] ?? ""]) {
            const [opens, clicks] = expected[domain] ?? [0, 0];
            expected[domain] = [opens + Math.sign(row.opened_count), clicks + Math.sign(row.clicked_count)];
          }
        }
        expect(await rollupTotals(workspace)).toEqual(
          Object.fromEntries(Object.entries(expected).filter(([, [a, b]]) => a + b > 0)),
        );
      },
    ),
    { numRuns: byExtent({ quick: 60, full: 200, long: 5000 }) },
  );
}, 900_000);

/** Returns the ids of the hits by machines: by user agent, or of a client that fetches all three links within 5 s. */
function machinesAmong(hits: readonly HitMessage[]): string[] {
  const isScanner = (client: HitMessage) =>
    client.ip !== "" &&
    hits.some((first) => {
      const links = hits.filter(
        ({ kind, ip, ua, at }) =>
          kind === "click" && ip === client.ip && ua === client.ua && at >= first.at && at <= first.at + 5_000,
      );
      return new Set(links.map(({ url }) => url)).size === 3;
    });
  return hits.filter((hit) => hit.ua !== READER || isScanner(hit)).map(({ id }) => id);
}

/** Returns how many hits of this kind count: those by persons, without repeats of one link within 60 s. */
function expectedCount(hits: readonly HitMessage[], kind: HitMessage["kind"]): number {
  const machines = machinesAmong(hits);
  const persons = hits.filter((hit) => hit.kind === kind && !machines.includes(hit.id));
  const urls = new Set(persons.map(({ url }) => url));
  let count = 0;
  for (const url of urls) {
    let last = Number.NEGATIVE_INFINITY;
    for (const at of persons
      .filter((hit) => hit.url === url)
      .map((hit) => hit.at)
      .sort((a, b) => a - b)) {
      if (at - last < 60_000) continue;
      last = at;
      count += 1;
    }
  }
  return count;
}
