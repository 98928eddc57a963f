import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import type { MainStatement } from "../../platform/context.ts";
import type { AliasRow } from "./schema.ts";

// The domains that the credential is restricted to are JSON, or null.
const SELECT = `
  SELECT id, mailbox_id, domain_id, address, created_at FROM mailbox_aliases
   WHERE mailbox_id = ?1 AND workspace = ?2 AND (?3 IS NULL OR domain_id IN (SELECT value FROM json_each(?3)))`;

const domainsOf = ({ actor: { domainIds } }: CallerCtx) => domainIds && JSON.stringify([...domainIds]);

/** Returns the aliases of a mailbox in order of address, those that the caller's credential may see. */
export const listAliases = async (ctx: CallerCtx, mailboxId: string): Promise<AliasRow[]> =>
  (await findAliasesStatement(ctx, mailboxId).all<AliasRow>()).results;

/** Returns the statement that reads them as rows of AliasRow, for the call that opens the mailbox. */
export const findAliasesStatement = (ctx: CallerCtx, mailboxId: string): MainStatement =>
  ctx.db
    .prepare(`${SELECT} ORDER BY address LIMIT ${budgetOf("mailbox_aliases").rows}`)
    .bind(mailboxId, ctx.workspace.number, domainsOf(ctx));

/** Returns one alias of a mailbox. Throws 404. */
export async function getAlias(ctx: CallerCtx, mailboxId: string, id: string): Promise<AliasRow> {
  const values = [mailboxId, ctx.workspace.number, domainsOf(ctx), requireFound(parseUuid(id), "Alias")];
  return requireFound(await ctx.db.findRow<AliasRow>(`${SELECT} AND id = ?4`, ...values), "Alias");
}
