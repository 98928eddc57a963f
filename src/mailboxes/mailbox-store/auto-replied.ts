import { DAY_MS, HOUR_MS } from "../../lib/time.ts";
import { type Sql, value } from "./sql.ts";

/** Automatic replies of a mailbox within an hour. */
const HOURLY_REPLIES = 100;

/**
 * Records an automatic reply to a sender and returns true, unless another one was recorded within a day, or 100 to others within an hour
 * (docs/contract/inbound.md#automatic-replies). The same reply may be recorded again. `at` is in ms since 1970.
 */
export function takeReplyTurn(sql: Sql, sender: string, reply: string, at: number): boolean {
  sql.exec("DELETE FROM auto_replied WHERE at <= ?", at - DAY_MS);
  const last = value<string>(sql, "SELECT reply FROM auto_replied WHERE sender = ?", sender);
  if (last !== null) return last === reply;
  const recent = value<number>(sql, "SELECT count(*) FROM auto_replied WHERE at > ?", at - HOUR_MS) ?? 0;
  if (recent >= HOURLY_REPLIES) return false;
  sql.exec("INSERT INTO auto_replied (sender, at, reply) VALUES (?, ?, ?)", sender, at, reply);
  return true;
}
