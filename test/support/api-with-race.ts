import { wrapDatabases } from "./databases.ts";
import { apiOn, discardingQueue } from "./workspace.ts";

/** Returns the API on databases that run `meanwhile` before batch number `at` of a request, counted from 0. */
export function apiWithRace(key: string, at: number, meanwhile: () => Promise<unknown>) {
  let batches = 0;
  const databases = wrapDatabases((real) => ({
    prepare: (sql: string) => real.prepare(sql),
    async batch<Row>(statements: D1PreparedStatement[]) {
      if (batches++ === at) await meanwhile();
      return real.batch<Row>(statements);
    },
  }));
  return apiOn({ ...databases, WORK: discardingQueue }, key);
}
