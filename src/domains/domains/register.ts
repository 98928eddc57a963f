import type { CallerCtx } from "../../access/caller.ts";
import { canonicalDomain } from "../../lib/address-domain.ts";
import { conflict, forbidden, invalidField } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { publishRecords } from "../zones/index.ts";
import { generateSlotKeys, orderRecordsStatements, requireDelegation } from "./delegate.ts";
import { generateDkimKeys, insertKeysStatement } from "./dkim-keys.ts";
import { isPublicSuffix } from "./public-suffix.ts";
import type { DomainWithKeys } from "./queries.ts";
import { MAX_NAME, newOwnershipToken, reversedName } from "./rules.ts";
import { isReservedName } from "./sandbox.ts";
import { type DomainIn, type DomainOut, toDomain } from "./schema.ts";

// Inserts nothing when the workspace was deleted meanwhile: a domain of a deleted workspace is never purged.
const INSERT_DOMAIN = `
  INSERT INTO domains (id, workspace, name, status, reversed_name, ownership_token, created_at, setup, zone, zone_token)
  SELECT ?1, ?2, ?3, 'pending', ?4, ?5, ?6, ?7, ?8, ?9
   WHERE EXISTS (SELECT 1 FROM workspaces WHERE number = ?2 AND deleted_at IS NULL) AND ${hasRoom("domains", "?2")}`;

/**
 * Registers a domain as `pending` until it is verified (docs/contract/domains.md#registration). Several workspaces may register
 * the same name; only verification is exclusive. Throws 422 when the name is not a domain name or is a public suffix or reserved, 409 when
 * the workspace has already registered it or has as many as it may, 403 for a key that is restricted to domains, ConcurrencyError when the workspace is
 * deleted at the same moment; for a delegated set-up 422 when the deployment has no zones, 503 when none has room.
 */
export async function registerDomain(ctx: CallerCtx, input: DomainIn): Promise<DomainOut> {
  if (ctx.actor.domainIds) throw forbidden("This API key is restricted to certain domains");
  const created = await newDomain(ctx, await parseName(ctx, input.name), input.setup);
  const { domain, keys } = created;
  const { id, workspace, name, reversedName, ownershipToken, createdAt, setup, zone, zoneToken } = domain;
  const response = toDomain(ctx.settings, created);
  try {
    await guardedBatch(ctx.db, [
      ctx.db
        .prepare(INSERT_DOMAIN)
        .bind(id, workspace, name, reversedName, ownershipToken, createdAt, setup, zone, zoneToken),
      expectChanges(ctx.db, 1),
      insertKeysStatement(ctx, keys),
      ...orderRecordsStatements(ctx, created),
      auditStatement(ctx, { action: "domain.registered", target: domain.id, detail: { name: domain.name } }),
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("This workspace has already registered this domain");
    throw error;
  }
  // A run of cron does it when this one is cut off.
  if (setup === "delegated") ctx.waitUntil?.(publishRecords(ctx, id));
  return response;
}

async function parseName(ctx: CallerCtx, text: string): Promise<string> {
  const invalid = (msg: string) => invalidField("name", msg);
  const name = canonicalDomain(text.trim().replace(/\.$/, ""));
  if (name === null) throw invalid("name must be a domain name; write it as example.com, without a scheme, path or @");
  if (name.length > MAX_NAME)
    throw invalid(`name has ${name.length} characters in A-label form; the limit is ${MAX_NAME}`);
  if (isReservedName(ctx.settings, name))
    throw invalid("name belongs to the test domains of this service; register a domain of your own");
  if (await isPublicSuffix(ctx.env.ASSETS, name)) throw invalid("name is a public suffix; register a name below it");
  return name;
}

async function newDomain(ctx: CallerCtx, name: string, setup: DomainIn["setup"]): Promise<DomainWithKeys> {
  const id = ctx.newId();
  const delegation = setup === "delegated" ? await requireDelegation(ctx) : null;
  const keys = delegation ? await generateSlotKeys(ctx, id, delegation) : await generateDkimKeys(ctx, id);
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
    egress: null,
    receives: null,
    health: null,
    setup,
    zone: delegation?.zone ?? null,
    zoneToken: delegation?.token ?? null,
    nextRotationAt: null,
    dmarcPolicy: "none",
    found: {},
    isSandbox: false,
  };
  return { domain, keys, hosts: [] };
}
