import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import { column, first, type Sql } from "./sql.ts";

/** Returns the addresses whose mail goes to Spam. */
export function listBlockedSenders(sql: Sql): string[] {
  return column(sql, "SELECT email FROM blocked_senders ORDER BY email");
}

/** Replaces the addresses whose mail goes to Spam. They must be canonical. */
export function replaceBlockedSenders(sql: Sql, emails: readonly string[]): void {
  sql.exec("DELETE FROM blocked_senders");
  sql.exec("INSERT OR IGNORE INTO blocked_senders SELECT value FROM json_each(?)", JSON.stringify(emails));
}

/** Returns whether mail of this sender, a canonical address, goes to Spam. */
export function isBlocked(sql: Sql, email: string): boolean {
  return first(sql, "SELECT 1 FROM blocked_senders WHERE email = ?", email) !== null;
}

/** Adds an address, which must be canonical. Returns false beyond the limit. */
export function blockSender(sql: Sql, email: string): boolean {
  const insert = `INSERT OR IGNORE INTO blocked_senders SELECT ?1
      WHERE (SELECT count(*) FROM blocked_senders) < ?2 OR EXISTS (SELECT 1 FROM blocked_senders WHERE email = ?1)`;
  sql.exec(insert, email, mailboxBudgets.blocked_senders.rows);
  return isBlocked(sql, email);
}

/** Removes an address. */
export function unblockSender(sql: Sql, email: string): void {
  sql.exec("DELETE FROM blocked_senders WHERE email = ?", email);
}
