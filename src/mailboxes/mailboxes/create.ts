import type { CallerCtx } from "../../access/caller.ts";
import { getDomain } from "../../domains/domains/index.ts";
import { parseAddress } from "../../lib/addresses.ts";
import { conflict, invalidField, notFound } from "../../lib/errors.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { RefusedBatchError, refuse } from "../../platform/db/refuse.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import type { MailboxRow } from "./queries.ts";
import { type MailboxIn, type MailboxOut, toMailbox } from "./schema.ts";

// Inserts nothing when the domain was deleted since it was read.
const INSERT = `
  INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, display_name, quota_bytes, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM domains WHERE id = ?3 AND workspace = ?2) AND ${hasRoom("mailboxes", "?2")}`;

const REFUSE_ALIAS = `SELECT ${refuse("alias", "1")} FROM mailbox_aliases WHERE workspace = ?1 AND address = ?2`;

/**
 * Creates a mailbox on a domain of the workspace, which may be pending (docs/contract/mailboxes.md#addresses). Throws 404 for the domain,
 * 422 for an invalid local part, 409 for a test domain and when the workspace has a mailbox or an alias with this address.
 */
export async function createMailbox(ctx: CallerCtx, input: MailboxIn): Promise<MailboxOut> {
  const domain = await getDomain(ctx, input.domain_id);
  if (domain.isSandbox)
    throw conflict(`The test domain ${domain.name} has one mailbox; add a domain of your own for others`);
  const { local, address } = parseMailboxAddress(input.local_part, domain.name);
  const row: MailboxRow = {
    id: ctx.newId(),
    workspace: ctx.workspace.number,
    domainId: domain.id,
    localPart: local,
    address,
    displayName: input.display_name ?? null,
    isActive: true,
    quotaBytes: input.quota_bytes ?? null,
    usedBytes: 0,
    createdAt: ctx.now(),
    assigneeIds: "[]",
  };
  const response = toMailbox(row);
  const values = [row.id, row.workspace, row.domainId, local, address, row.displayName, row.quotaBytes, row.createdAt];
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(REFUSE_ALIAS).bind(row.workspace, address),
      ctx.db.prepare(INSERT).bind(...values),
      expectChanges(ctx.db, 1),
      auditStatement(ctx, { action: "mailbox.created", target: row.id, detail: { address } }),
      ...(await storeResponse(ctx, response)),
    ]);
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("This workspace already has a mailbox with this address");
    if (error instanceof RefusedBatchError) throw conflict("This address is an alias of a mailbox of this workspace");
    if (error instanceof ConcurrencyError && !ctx.idempotency) throw notFound("Domain");
    throw error;
  }
  return response;
}

/** Returns the canonical address. Rejects plus-addresses: they belong to the mailbox named before the plus. */
function parseMailboxAddress(localPart: string, domain: string): { local: string; address: string } {
  const invalid = (msg: string) => invalidField("local_part", msg);
  if (localPart === "*") return { local: "*", address: `*@${domain}` };
  const parsed = parseAddress(`${localPart}@${domain}`);
  if (localPart.includes("@")) throw invalid("local_part must not contain @; write hello for hello@example.com");
  if (!parsed) throw invalid("local_part must be the local part of a valid email address; the limit is 64 bytes");
  if (parsed.key.includes("+"))
    throw invalid("local_part must not contain +: a mailbox also receives mail for its plus-addresses");
  return { local: parsed.local, address: parsed.key };
}
