import { env } from "cloudflare:workers";
import { apiOn, discardingQueue } from "./workspace.ts";

/** Returns the API on a database that runs `meanwhile` before batch number `at` of a request, counted from 0. */
export function apiWithRace(key: string, at: number, meanwhile: () => Promise<unknown>) {
  let batches = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (batches++ === at) await meanwhile();
    return env.DB.batch(statements);
  };
  return apiOn({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch }, WORK: discardingQueue }, key);
}
