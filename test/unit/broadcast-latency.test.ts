/** Runs the bench of broadcasts with its budgets. `npm run test:long` only: it measures time, which needs an idle machine. */
import { expect, it } from "vitest";
import { measureBroadcasts } from "../../bench/broadcasts.ts";
import { Deployment } from "../../bench/deployment.ts";
import { Sink } from "../../bench/sink.ts";

const LONG = process.env.TEST_LONG === "1";

it.runIf(LONG)(
  "with 20,000 emails of a broadcast waiting, single sends reach the egress within 400 ms of their 202 (median)",
  { timeout: 900_000 },
  async () => {
    const sink = await Sink.start();
    const deployment = await Deployment.start(sink.url);
    try {
      const rows = await measureBroadcasts({ deployment, sink });
      for (const { what, value } of rows) console.log(`${what}: ${value}`);
      expect(rows).toHaveLength(4);
      expect(rows.filter(({ isMet }) => !isMet)).toEqual([]);
    } finally {
      await deployment.stop();
      sink.stop();
    }
  },
);
