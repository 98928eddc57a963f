import { type Sql, value } from "./sql.ts";
import type { Signature } from "./types.ts";

/** Returns the signature of a mailbox, or null. */
export function readSignature(sql: Sql): Signature | null {
  const signature = value<string>(sql, "SELECT value FROM settings WHERE name = 'signature'");
  return signature === null ? null : (JSON.parse(signature) as Signature);
}

/** Replaces the signature of a mailbox. Null: it has none. */
export function saveSignature(sql: Sql, signature: Signature | null): void {
  if (signature === null) sql.exec("DELETE FROM settings WHERE name = 'signature'");
  else sql.exec("INSERT OR REPLACE INTO settings (name, value) VALUES ('signature', ?)", JSON.stringify(signature));
}
