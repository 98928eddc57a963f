import { keyedHashes } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { appPasswordsOf, type PasswordOwner } from "./rights.ts";

/** Crockford's alphabet: without letters that are easily mistaken for another character. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 140 random bits. */
const CHARACTERS = 28;
const GROUP = /.{4}(?=.)/g;

/** Purpose under which app passwords are hashed (lib/secret-box). */
const HASH_PURPOSE = "app-password";

/** Least time between two writes of last_used_at, in ms. */
const LAST_USED_INTERVAL_MS = 60_000;

/** Returns a new app password: 28 random characters in groups of four. */
export function newAppPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CHARACTERS));
  const text = Array.from(bytes, (byte) => ALPHABET.charAt(byte % ALPHABET.length)).join("");
  return text.replace(GROUP, "$&-");
}

/**
 * Returns the keyed hashes of an app password, of the newest master key first. It may be written with spaces, in capitals, or without
 * its hyphens. Returns none for a text that is no app password.
 */
export async function appPasswordHashes({ settings }: Pick<Ctx, "settings">, text: string): Promise<string[]> {
  const password = text.replace(/[\s-]/g, "").toLowerCase().replace(/o/g, "0").replace(/[il]/g, "1");
  const isValid = password.length === CHARACTERS && [...password].every((character) => ALPHABET.includes(character));
  return isValid ? keyedHashes(settings.masterKeys, HASH_PURPOSE, password) : [];
}

/** A new app password, and the rights with which it ends. */
export interface NewAppPassword extends PasswordOwner {
  id: string;
  name: string;
  password: string;
  /** In ms since 1970. */
  createdAt: number;
}

const HAS_SPACE = hasRoom("app_passwords", "?2", `(SELECT count(*) FROM ${appPasswordsOf("?2", "?5")})`);

const INSERT = `
  INSERT INTO app_passwords (id, mailbox_id, name, hash, created_at, api_key_id, assignee_id, user_id)
  SELECT ?1, b.id, ?3, ?4, ?5, (SELECT coalesce(k.replaced_by_id, k.id) FROM api_keys k WHERE k.id = ?6), ?7, ?8
    FROM mailboxes b WHERE b.id = ?2 AND ${HAS_SPACE}`;

// One that was made by the password of the mailbox ends with the right by which that was set.
const INSERT_BY_PASSWORD = `
  INSERT INTO app_passwords (id, mailbox_id, name, hash, created_at, api_key_id, assignee_id, user_id)
  SELECT ?1, p.mailbox_id, ?3, ?4, ?5, p.api_key_id, p.assignee_id, p.user_id
    FROM mailbox_passwords p WHERE p.mailbox_id = ?2 AND p.hash = ?6 AND ${HAS_SPACE}`;

/**
 * Returns the statement that stores an app password of a mailbox. At the end of the budget, in which those whose right has ended do not
 * count, it rolls back its batch. `by`: the hash of the mailbox's password, which made it; it inserts nothing when that was changed.
 */
export async function insertAppPasswordStatement(
  ctx: Ctx,
  mailboxId: string,
  { id, name, password, createdAt, apiKeyId, assigneeId, userId }: NewAppPassword,
  by: string | null,
): Promise<MainStatement> {
  const [hash] = await appPasswordHashes(ctx, password);
  const values = [id, mailboxId, name, hash, createdAt];
  return by === null
    ? ctx.db.prepare(INSERT).bind(...values, apiKeyId, assigneeId, userId)
    : ctx.db.prepare(INSERT_BY_PASSWORD).bind(...values, by);
}

/** Returns the statement that deletes all app passwords of a mailbox. */
export const deleteAppPasswordsStatement = (ctx: Ctx, mailboxId: string): MainStatement =>
  ctx.db.prepare("DELETE FROM app_passwords WHERE mailbox_id = ?1").bind(mailboxId);

/** Returns whether a use of an app password is to be written: the last one was written more than a minute ago. */
export const isTouchDue = ({ now }: Pick<Ctx, "now">, lastUsedAt: number | null): boolean =>
  lastUsedAt === null || lastUsedAt <= now() - LAST_USED_INTERVAL_MS;

const TOUCH = `
  UPDATE app_passwords SET last_used_at = ?2, hash = coalesce(?4, hash)
   WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at <= ?3 OR hash <> ?4)`;

/** Writes when an app password was used, at most once a minute, and its hash (null: it stays). The next use repeats a failed write. */
export async function touchAppPassword(ctx: Ctx, id: string, hash: string | null): Promise<void> {
  const now = ctx.now();
  try {
    await ctx.db.execute(TOUCH, id, now, now - LAST_USED_INTERVAL_MS, hash);
  } catch (error) {
    ctx.log("app-password.touch.failed", { error: String(error) });
  }
}
