import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { HitMessage } from "../../src/tracking/index.ts";
import { seeded, shuffled } from "../support/faults.ts";
import { run } from "../support/sending.ts";
import { aWorkspace } from "../support/workspace.ts";
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
    after: fc.constantFrom(-1, 0, 1999, 2000, 5000),
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
        const hits = drawn.map(({ email, kind, ua, after }) =>
          aHit(workspace, ids[email] ?? "", { kind, ua, at: SENT_AT + after }),
        );
        const all = shuffled([...hits, ...hits, ...hits], random);
        for (let at = 0; at < all.length; at += size) await consume(all.slice(at, at + size));

        const { results } = await env.DB.prepare(
          "SELECT id, opened_count, clicked_count, events FROM emails WHERE workspace = ?1",
        )
          .bind(workspace.workspaceNumber)
          .all<Row>();
        const expected: Record<string, [number, number]> = {};
        for (const row of results) {
          const emailHits = hits.filter(({ email }) => email === row.id);
          const events = JSON.parse(row.events) as { id: string; type: string; metadata: { machine?: true } }[];
          const human = (type: string) =>
            events.filter((event) => event.type === type && !event.metadata.machine).length;
          const counts = [row.opened_count, row.clicked_count];
          expect(counts).toEqual([human("open"), human("click")]);
          expect(counts).toEqual([emailHits.filter(isOpen).length, emailHits.filter(isClick).length]);
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
    { numRuns: env.TEST_LONG ? 5000 : 200 },
  );
}, 900_000);

const isOpen = ({ kind, ua }: HitMessage) => kind === "open" && ua === READER;
const isClick = ({ kind, ua, at }: HitMessage) => kind === "click" && ua === READER && at >= SENT_AT + 2000;
