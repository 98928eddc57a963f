import type { CallerCtx } from "../../access/caller.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { conflict, invalidField, notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { RefusedBatchError, refuse } from "../../platform/db/refuse.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { getMailbox } from "../mailboxes/index.ts";
import { type AliasIn, type AliasOut, toAlias } from "./schema.ts";

const FIND_DOMAIN = `
  SELECT id FROM domains WHERE workspace = ?1 AND name = ?2 AND status = 'verified' AND NOT is_sandbox
     AND (?3 IS NULL OR id IN (SELECT value FROM json_each(?3)))`;

const REFUSE_MAILBOX = `SELECT ${refuse("mailbox", "1")} FROM mailboxes WHERE workspace = ?1 AND address = ?2`;

// Inserts nothing when the mailbox or the domain has left the workspace since they were read.
const INSERT = `
  INSERT INTO mailbox_aliases (id, workspace, mailbox_id, domain_id, address, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6
   WHERE EXISTS (SELECT 1 FROM domains WHERE id = ?4 AND workspace = ?2 AND status = 'verified')
     AND EXISTS (SELECT 1 FROM mailboxes m JOIN domains d ON d.id = m.domain_id AND d.status = 'verified'
                  WHERE m.id = ?3 AND m.workspace = ?2)
     AND ${hasRoom("mailbox_aliases", "?3")}`;

/**
 * Adds an address to a mailbox (docs/contract/mailboxes.md#aliases). Throws 404 for the mailbox, 422 for an address that is not valid
 * or not at a verified domain that the credential may use, 409 for one that a mailbox or an alias has, for a catch-all, for a mailbox
 * of a domain that is not verified, and beyond 100 aliases.
 */
export async function addAlias(ctx: CallerCtx, mailboxId: string, { address: text }: AliasIn): Promise<AliasOut> {
  const mailbox = await getMailbox(ctx, mailboxId);
  if (mailbox.localPart === "*") throw conflict("A catch-all has no aliases");
  const { address, domainId } = await findPlace(ctx, text);
  const { number } = ctx.workspace;
  const row = { id: ctx.newId(), mailbox_id: mailbox.id, domain_id: domainId, address, created_at: ctx.now() };
  const response = toAlias(row);
  const entry = { action: "mailbox.alias_added" as const, target: mailbox.id, detail: { address } };
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(REFUSE_MAILBOX).bind(number, address),
      ctx.db.prepare(INSERT).bind(row.id, number, mailbox.id, domainId, address, row.created_at),
      expectChanges(ctx.db, 1),
      auditStatement(ctx, entry),
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    throw await toError(ctx, mailbox.id, error);
  }
  return response;
}

/** Returns the canonical address and its domain. */
async function findPlace(ctx: CallerCtx, text: string): Promise<{ address: string; domainId: string }> {
  const invalid = (msg: string) => invalidField("address", msg);
  const parsed = parseAddress(text.trim());
  if (!parsed || parsed.local === "*") throw invalid("address must be a valid email address");
  if (parsed.key.includes("+"))
    throw invalid("address must not contain +: a mailbox also receives mail for the plus-addresses of its aliases");
  const { domainIds } = ctx.actor;
  const values = [ctx.workspace.number, parsed.domain, domainIds && JSON.stringify([...domainIds])];
  const domainId = await ctx.db.findValue<string>(FIND_DOMAIN, ...values);
  if (domainId === null) throw invalid("address must be at a verified domain of this workspace");
  return { address: parsed.key, domainId };
}

async function toError(ctx: CallerCtx, mailboxId: string, error: unknown): Promise<unknown> {
  if (isUniqueViolation(error)) return conflict("This address is an alias of a mailbox of this workspace");
  if (error instanceof RefusedBatchError) return conflict("This workspace already has a mailbox with this address");
  if (!(error instanceof ConcurrencyError) || ctx.idempotency) return error;
  const isKept = await ctx.db.findRow("SELECT 1 FROM mailboxes WHERE id = ?1", mailboxId);
  return isKept ? conflict("The domain of the mailbox must be verified") : notFound("Mailbox");
}
