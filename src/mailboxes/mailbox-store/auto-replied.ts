import { DAY_MS } from "../../lib/time.ts";
import { first, type Sql } from "./sql.ts";

/**
 * Records an automatic reply to a sender and returns true, unless another one was recorded within a day
 * (docs/contract/inbound.md#automatic-replies). The same reply may be recorded again. `at` is in ms since 1970.
 */
export function takeReplyTurn(sql: Sql, sender: string, { reply, at }: { reply: string; at: number }): boolean {
  sql.exec("DELETE FROM auto_replied WHERE at <= ?", at - DAY_MS);
  const last = first<{ reply: string }>(sql, "SELECT reply FROM auto_replied WHERE sender = ?", sender);
  if (last) return last.reply === reply;
  sql.exec("INSERT INTO auto_replied (sender, at, reply) VALUES (?, ?, ?)", sender, at, reply);
  return true;
}
