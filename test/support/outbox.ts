/** A claim takes other due rows along. These functions keep the emails of other tests, or of other steps, out of a run. */
import { run } from "./sending.ts";

/** Deletes every outbox row, so that no run delivers what earlier tests left. */
export const emptyOutbox = () => run("DELETE FROM outbox");

/** Runs `act` while no claim takes along any row but these, by id. The other rows are as before afterwards. */
export async function withoutOtherRows<Result>(ids: readonly string[], act: () => Promise<Result>): Promise<Result> {
  await run(
    "UPDATE outbox SET kind = 'held' WHERE kind = 'deliver' AND id NOT IN (SELECT value FROM json_each(?1))",
    JSON.stringify(ids),
  );
  try {
    return await act();
  } finally {
    await run("UPDATE outbox SET kind = 'deliver' WHERE kind = 'held'");
  }
}
