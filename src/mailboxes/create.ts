import type { CallerCtx } from "../context.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../db/batch.ts";
import { getDomain } from "../domains/index.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { storeResponse } from "../idempotency/index.ts";
import { parseAddress } from "../lib/addresses.ts";
import type { MailboxRow } from "./queries.ts";
import { type MailboxIn, type MailboxOut, toMailbox } from "./schema.ts";

// Nothing is written when the domain was deleted since it was read.
const INSERT = `
  INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, display_name, quota_bytes, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE EXISTS (SELECT 1 FROM domains WHERE id = ?3 AND workspace = ?2)`;

/**
 * Allocates a mailbox on a domain of the workspace, pending ones included (decisions 5). Throws 404 for the domain,
 * 422 for a local part that no mailbox can have, 409 when the address is taken.
 */
export async function createMailbox(ctx: CallerCtx, input: MailboxIn): Promise<MailboxOut> {
  const domain = await getDomain(ctx, input.domain_id);
  const { local, address } = toAddress(input.local_part, domain.name);
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
  const answer = toMailbox(row);
  const values = [row.id, row.workspace, row.domainId, local, address, row.displayName, row.quotaBytes, row.createdAt];
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(INSERT).bind(...values),
      expectChanges(ctx.db, 1),
      ...storeResponse(ctx, answer),
    ]);
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("This workspace has this mailbox already");
    if (error instanceof ConcurrencyError && !ctx.idempotency) throw notFound("Domain");
    throw error;
  }
  return answer;
}

/** The mailbox's address in canonical form. A plus-address is no mailbox: it belongs to what stands before the plus. */
function toAddress(localPart: string, domain: string): { local: string; address: string } {
  const refuse = (msg: string) => unprocessable([{ loc: ["body", "local_part"], msg, type: "value_error" }]);
  if (localPart === "*") return { local: "*", address: `*@${domain}` };
  const parsed = parseAddress(`${localPart}@${domain}`);
  if (!parsed || localPart.includes("@")) throw refuse("Not the local part of an email address");
  if (parsed.key.includes("+")) throw refuse("A mailbox takes mail for its plus-addresses; its own has no +");
  return { local: parsed.local, address: parsed.key };
}
