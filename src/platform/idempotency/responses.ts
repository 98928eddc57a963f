import { fromBase64, toBase64, utf8 } from "../../lib/bytes.ts";
import { conflict } from "../../lib/errors.ts";
import { dayOf } from "../../lib/time.ts";
import type { Database, DatabaseKind, MailStatement, MainStatement, Statement, WorkspaceCtx } from "../context.ts";
import { expectChanges } from "../db/batch.ts";
import { hasRoom } from "../db/has-room.ts";
import type { Idempotency } from "./key.ts";
import { fromStored, mainRowBytes, toStored } from "./large-responses.ts";
import { RESPONSE_TTL_MS } from "./rules.ts";
import { isAbandoned } from "./running.ts";

const FIND_RESPONSE = `
  SELECT fingerprint, answer FROM idempotency_keys
   WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3)) AND created_at > ?4`;

/** A stored response, ready to be replayed. */
export interface StoredResponse {
  /** JSON text. */
  body: string;
  /** Null: the success status of the route. */
  status: number | null;
}

/**
 * Returns the response stored under this key in the last 24 hours, or null. Throws 409 when the key was used for another request, or by
 * another credential for a response that contains a secret, or while the work of the key is running.
 */
export async function findResponse(ctx: WorkspaceCtx, idempotency: Idempotency): Promise<StoredResponse | null> {
  const row = await findRow(ctx, idempotency);
  if (!row) return null;
  if (row.fingerprint !== fingerprintOf(ctx, idempotency))
    throw conflict("This Idempotency-Key was used for another request");
  if (isAbandoned(ctx, row.answer)) return null;
  const text = await fromStored(ctx, row.answer);
  if (isSealed(text)) return { body: await openResponse(ctx, idempotency, text), status: null };
  // Every stored body is a JSON object or array, so leading digits are the status.
  const [, status, body = ""] = /^(?:(\d{3}) )?(.*)$/s.exec(text) ?? [];
  return { body, status: status === undefined ? null : Number(status) };
}

type ResponseRow = { fingerprint: string; answer: string };

/** Finds the row of a key in the main database and in the mail database of the workspace. */
async function findRow(ctx: WorkspaceCtx, { keys, repeats }: Idempotency): Promise<ResponseRow | null> {
  const now = ctx.now();
  const values = [dayOf(now), ctx.workspace.number, JSON.stringify(keys), now - (repeats?.ttlMs ?? RESPONSE_TTL_MS)];
  const find = <Kind extends DatabaseKind>(db: Database<Kind>) => db.findRow<ResponseRow>(FIND_RESPONSE, ...values);
  const [main, mail] = await Promise.all([find(ctx.db), find(ctx.mail)]);
  return main ?? mail;
}

// Inserts nothing when an unexpired response exists, whichever day and master key it was stored with.
const insertWhere = (condition: string) => `
  INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE NOT EXISTS (
    SELECT 1 FROM idempotency_keys WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?8)) AND created_at > ?7)
     AND ${condition}`;
const INSERT_RESPONSE = insertWhere("true");
const INSERT_MAIN_RESPONSE = insertWhere(hasRoom("idempotency_keys", "?2"));

/**
 * Returns the statements that store a response, a large one after its object in R2, for the batch of the writes to the main database that it
 * reports; none without an Idempotency-Key. When another request with the same key was first, the batch rolls back with ConcurrencyError and
 * the response of that request is replayed. `status` is for routes with several success statuses.
 */
export async function storeResponse(ctx: WorkspaceCtx, response: unknown, status?: number): Promise<MainStatement[]> {
  if (!ctx.idempotency) return [];
  const text = `${status === undefined ? "" : `${status} `}${JSON.stringify(response)}`;
  return insertResponse(ctx, await toStored(ctx, text, mainRowBytes(ctx)));
}

/** Returns the same for a batch of writes to the mail database of the caller. */
export async function storeMailResponse(ctx: WorkspaceCtx, response: unknown): Promise<MailStatement[]> {
  if (!ctx.idempotency) return [];
  return insertInto(ctx, ctx.mail, INSERT_RESPONSE, await toStored(ctx, JSON.stringify(response)));
}

/**
 * Returns the same for a response that contains a secret. It is encrypted under a key derived from the Idempotency-Key
 * and is replayed only to the credential that made the request.
 */
export async function storeSecretResponse(ctx: WorkspaceCtx, response: unknown): Promise<MainStatement[]> {
  const { idempotency } = ctx;
  if (!idempotency) return [];
  const sealed = await sealResponse(ctx, idempotency, JSON.stringify(response));
  return insertResponse(ctx, await toStored(ctx, sealed, mainRowBytes(ctx)));
}

/** Returns the statements that store the text of a response, the name of its object, or a reservation in the main database. */
export const insertResponse = (ctx: WorkspaceCtx, response: string): MainStatement[] =>
  insertInto(ctx, ctx.db, INSERT_MAIN_RESPONSE, response);

function insertInto<Kind extends DatabaseKind>(
  ctx: WorkspaceCtx,
  db: Database<Kind>,
  insert: string,
  response: string,
): Statement<Kind>[] {
  const { idempotency } = ctx;
  if (!idempotency) return [];
  const { keys } = idempotency;
  const now = ctx.now();
  const row = [
    dayOf(now),
    ctx.workspace.number,
    keys[0],
    fingerprintOf(ctx, idempotency),
    response,
    now,
    now - RESPONSE_TTL_MS,
    JSON.stringify(keys),
  ];
  return [db.prepare(insert).bind(...row), expectChanges(db, 1)];
}

/** Returns the fingerprint, extended by the domains that the credential is restricted to. */
export function fingerprintOf({ actor: { domainIds } }: WorkspaceCtx, { fingerprint }: Idempotency): string {
  if (!domainIds) return fingerprint;
  // A key that is restricted to no domain must not share the fingerprint of unrestricted ones.
  return [fingerprint, ...(domainIds.size > 0 ? [...domainIds].sort() : ["no-domains"])].join(" ");
}

/** Prefix of a sealed response. No JSON text begins with it. */
const SEALED_PREFIX = "sealed";

/** Returns whether a stored response is encrypted. */
const isSealed = (response: string): boolean => response.startsWith(`${SEALED_PREFIX}.`);

/**
 * Encrypts a response (AES-256-GCM) under the newest sealing key. Returns `sealed.<credential>.<version>.<iv>.<text>`.
 * Decrypting it requires the caller's Idempotency-Key, which is not stored.
 */
async function sealResponse(ctx: WorkspaceCtx, idempotency: Idempotency, response: string): Promise<string> {
  const [newest = ""] = await idempotency.sealingKeys();
  const [version, secret] = newest.split(".");
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const key = await importKey(secret, "encrypt");
  const sealed = await crypto.subtle.encrypt(algorithm(ctx, idempotency, iv), key, utf8(response));
  return [SEALED_PREFIX, ctx.actor.credentialId, version, toBase64(iv), toBase64(new Uint8Array(sealed))].join(".");
}

/**
 * Decrypts the result of `sealResponse`. Throws 409 for another credential: an Idempotency-Key may be guessable, and the
 * other credential may have fewer rights.
 */
async function openResponse(ctx: WorkspaceCtx, idempotency: Idempotency, sealed: string): Promise<string> {
  const [, credentialId, version, iv = "", text = ""] = sealed.split(".");
  if (credentialId !== ctx.actor.credentialId) throw conflict("This Idempotency-Key was used by another credential");
  const found = (await idempotency.sealingKeys()).find((candidate) => candidate.split(".")[0] === version);
  const key = await importKey(found?.split(".")[1], "decrypt");
  const plain = await crypto.subtle.decrypt(algorithm(ctx, idempotency, fromBase64(iv)), key, fromBase64(text));
  return new TextDecoder().decode(plain);
}

function importKey(secret: string | undefined, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  if (!secret) throw new Error("no key is configured that can encrypt or decrypt this stored response");
  return crypto.subtle.importKey("raw", fromBase64(secret), "AES-GCM", false, [use]);
}

/** Returns the AES-GCM parameters. Workspace, credential and request are authenticated. */
function algorithm({ workspace, actor }: WorkspaceCtx, { fingerprint }: Idempotency, iv: Uint8Array<ArrayBuffer>) {
  return { name: "AES-GCM", iv, additionalData: utf8(`${workspace.number} ${actor.credentialId} ${fingerprint}`) };
}
