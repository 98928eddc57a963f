import type { MailCtx } from "../../../platform/context.ts";

/** A workspace as the engine needs it. */
export interface WorkspaceState {
  number: number;
  id: string;
  timeZone: string;
  /** Its own limit of emails a day, as CallerWorkspace has it. */
  dailyLimit: number | null;
}

const FIND = `
  SELECT number, id, settings->>'$.time_zone' AS time_zone, daily_limit FROM workspaces
   WHERE number IN (SELECT value FROM json_each(?1)) AND deleted_at IS NULL`;

/** Returns workspaces by number, without those that are deleted, in one D1 call. */
export async function findWorkspaces(
  ctx: MailCtx,
  numbers: Iterable<number>,
): Promise<ReadonlyMap<number, WorkspaceState>> {
  const { results } = await ctx.db
    .prepare(FIND)
    .bind(JSON.stringify([...new Set(numbers)]))
    .all<{ number: number; id: string; time_zone: string | null; daily_limit: number | null }>();
  return new Map(
    results.map(({ number, id, time_zone, daily_limit }) => [
      number,
      { number, id, timeZone: time_zone ?? "UTC", dailyLimit: daily_limit },
    ]),
  );
}
