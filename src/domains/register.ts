import type { CallerCtx } from "../context.ts";
import { expectChanges, guardedBatch, isUniqueViolation } from "../db/batch.ts";
import { conflict, forbidden, unprocessable } from "../errors.ts";
import { storeResponse } from "../idempotency/index.ts";
import { canonicalDomain } from "../lib/address-domain.ts";
import { insertKeysStatement, newDkimPair } from "./dkim-keys.ts";
import { isPublicSuffix } from "./public-suffix.ts";
import type { DomainWithKeys } from "./queries.ts";
import { MAX_NAME, newOwnershipToken, reversedName } from "./rules.ts";
import { type DomainIn, type DomainOut, toDomain } from "./schema.ts";

// Nothing is written when the workspace was deleted meanwhile: its row could never be purged.
const INSERT_DOMAIN = `
  INSERT INTO domains (id, workspace, name, status, reversed_name, ownership_token, created_at)
  SELECT ?1, ?2, ?3, 'pending', ?4, ?5, ?6
   WHERE EXISTS (SELECT 1 FROM workspaces WHERE number = ?2 AND deleted_at IS NULL)`;

/**
 * Registers a name, pending until it is verified (decisions 5). Any workspace may: a pending name is a wish and
 * keeps nobody else out. Throws 422 for what is no name or a public suffix, 409 when the workspace has it already,
 * 403 for a key that is restricted to certain domains, LostRace when the workspace is deleted at that moment.
 */
export async function registerDomain(ctx: CallerCtx, input: DomainIn): Promise<DomainOut> {
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  const found = await newDomain(ctx, toName(input.name));
  const { domain, keys } = found;
  const answer = toDomain(ctx.settings, found);
  try {
    await guardedBatch(ctx.db, [
      ctx.db
        .prepare(INSERT_DOMAIN)
        .bind(domain.id, domain.workspace, domain.name, domain.reversedName, domain.ownershipToken, domain.createdAt),
      expectChanges(ctx.db, 1),
      insertKeysStatement(ctx, keys),
      ...storeResponse(ctx, answer),
    ]);
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("This workspace has this domain already");
    throw error;
  }
  return answer;
}

function toName(text: string): string {
  const refuse = (msg: string) => unprocessable([{ loc: ["body", "name"], msg, type: "value_error" }]);
  const name = canonicalDomain(text.trim().replace(/\.$/, ""));
  if (name === null) throw refuse("Not a domain name");
  if (name.length > MAX_NAME) throw refuse(`A domain name has at most ${MAX_NAME} characters in A-label form`);
  if (isPublicSuffix(name)) throw refuse("This is a public suffix; register a name below it");
  return name;
}

async function newDomain(ctx: CallerCtx, name: string): Promise<DomainWithKeys> {
  const id = ctx.newId();
  const keys = await newDkimPair(ctx, id);
  const domain: DomainWithKeys["domain"] = {
    id,
    workspace: ctx.workspace.number,
    name,
    reversedName: reversedName(name),
    status: "pending",
    ownershipToken: newOwnershipToken(),
    records: {},
    failedChecks: 0,
    createdAt: ctx.now(),
    verifiedAt: null,
    lastCheckedAt: null,
    nextCheckAt: null,
  };
  return { domain, keys };
}
