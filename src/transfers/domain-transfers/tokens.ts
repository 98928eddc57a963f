import { keyedHashes, randomToken } from "../../lib/secret-box.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { TransferRef } from "./queries.ts";

/** Purposes under which tokens are hashed (lib/secret-box): a token of one kind is unknown to the other. */
const purposeOf = { accept: "transfer-accept", stop: "transfer-stop" } as const;

export type TokenKind = keyof typeof purposeOf;

const INSERT = "INSERT INTO domain_transfer_tokens (hash, transfer_id, kind) VALUES (?1, ?2, ?3)";

/** Returns a new token of 256 random bits and the statement that stores its hash. */
export async function newToken(
  ctx: Ctx,
  kind: TokenKind,
  transferId: string,
): Promise<{ token: string; statement: MainStatement }> {
  const token = randomToken();
  const [hash] = await keyedHashes(ctx.settings.masterKeys, purposeOf[kind], token);
  return { token, statement: ctx.db.prepare(INSERT).bind(hash, transferId, kind) };
}

/** Returns the hashes by which a token is found, one for each master key. */
export async function tokenRef(ctx: Ctx, kind: TokenKind, token: string): Promise<TransferRef> {
  return { kind, hashes: await keyedHashes(ctx.settings.masterKeys, purposeOf[kind], token) };
}
