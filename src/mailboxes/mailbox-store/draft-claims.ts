import { folderIds } from "./folders.ts";
import { all, first, type Sql } from "./sql.ts";

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
 * Claims a draft for an email in place of an earlier claim, of which `stopped` is the email; `claim` null frees it. Returns the claim of
 * another email, which stays, or null inside when this one took effect. Returns null for an unknown draft.
 */
export function claimDraft(
  sql: Sql,
  uid: number,
  claim: DraftClaim | null,
  stopped: string | null,
): { held: DraftClaim | null } | null {
  const [held = null] = findClaims(sql, [uid]);
  if (held && held.email !== stopped) return { held };
  const value = claim && JSON.stringify(claim);
  const isKnown = first(
    sql,
    "UPDATE messages SET claim = ? WHERE folder = ? AND uid = ? RETURNING uid",
    value,
    folderIds.Drafts,
    uid,
  );
  return isKnown && { held: null };
}

/** Returns the claims of drafts, of all drafts when `uids` is null. */
export function findClaims(sql: Sql, uids: readonly number[] | null): DraftClaim[] {
  const rows = all<{ claim: string }>(
    sql,
    `SELECT claim FROM messages WHERE folder = ?1 AND claim IS NOT NULL
      AND (?2 IS NULL OR uid IN (SELECT value FROM json_each(?2)))`,
    folderIds.Drafts,
    uids && JSON.stringify(uids),
  );
  return rows.map(({ claim }) => JSON.parse(claim) as DraftClaim);
}

/** Returns the email that claims a draft, or null. */
export const claimingEmail = (sql: Sql, uid: number): string | null =>
  first<{ email: string | null }>(
    sql,
    "SELECT claim->>'email' AS email FROM messages WHERE folder = ? AND uid = ?",
    folderIds.Drafts,
    uid,
  )?.email ?? null;
