import { folderIds } from "./folders.ts";
import { column, type Sql } from "./sql.ts";

/** The email that sends a draft, with the places of its row. */
export interface DraftClaim {
  email: string;
  /** Hash of the Idempotency-Key of its request. Earlier versions stored none. */
  key?: string | null;
  workspace: number;
  shard: number;
  /** When it was made, in ms since 1970. The row of the email may follow some seconds later. */
  at: number;
}

/**
 * Claims a draft for an email, or frees it with null, unless an email other than `stopped` has claimed it. Returns the claim that the draft
 * has then: null for a free draft, and for an unknown one.
 */
export function claimDraft(sql: Sql, uid: number, claim: DraftClaim | null, stopped: string | null): DraftClaim | null {
  const [held] = findClaims(sql, [uid]);
  if (held && held.email !== stopped) return held;
  const value = claim && JSON.stringify(claim);
  sql.exec("UPDATE messages SET claim = ? WHERE folder = ? AND uid = ?", value, folderIds.Drafts, uid);
  return findClaims(sql, [uid])[0] ?? null;
}

/** Returns the claims of drafts. */
export function findClaims(sql: Sql, uids: readonly number[]): DraftClaim[] {
  const find =
    "SELECT claim FROM messages WHERE folder = ? AND claim IS NOT NULL AND uid IN (SELECT value FROM json_each(?))";
  const claims = column<string>(sql, find, folderIds.Drafts, JSON.stringify(uids));
  return claims.map((claim) => JSON.parse(claim) as DraftClaim);
}
