import { env } from "cloudflare:workers";
import { apiOn, queueThatRefuses } from "./workspace.ts";

/** The API on a database where something happens just before a call's batch number `at`, counted from 0. */
export function apiMeanwhile(key: string, at: number, meanwhile: () => Promise<unknown>) {
  let batches = 0;
  const batch = async (statements: D1PreparedStatement[]) => {
    if (batches++ === at) await meanwhile();
    return env.DB.batch(statements);
  };
  return apiOn({ DB: { prepare: (sql: string) => env.DB.prepare(sql), batch }, WORK: queueThatRefuses }, key);
}
