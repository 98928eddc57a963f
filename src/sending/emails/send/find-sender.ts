import type { CallerCtx } from "../../../access/caller.ts";
import { SANDBOX_MEMBERS_SQL } from "../../../platform/db/sandbox-members.ts";
import { applySenderRule, type SenderMailbox } from "./sender-rule.ts";

const FIND = `
  SELECT m.id, m.address, m.local_part, m.display_name, m.is_active, m.domain_id, d.name AS domain, d.status AS domain_status,
         ${SANDBOX_MEMBERS_SQL} AS members
    FROM mailboxes m JOIN domains d ON d.id = m.domain_id AND d.workspace = m.workspace
   WHERE m.workspace = ?1 AND m.id = ?2`;

/** Why a mailbox may not send. `unknown`: the caller's credential sees no such mailbox. */
export interface SenderError {
  error: string;
}

/** Returns the sender that a mailbox is, or why it may not send (docs/contract/emails.md#sender-rule). */
export async function findSenderOf(ctx: CallerCtx, mailboxId: string) {
  const row = await ctx.db
    .prepare(FIND)
    .bind(ctx.workspace.number, mailboxId)
    .first<SenderMailbox & { id: string; local_part: string; display_name: string | null }>();
  const { domainIds } = ctx.actor;
  if (!row || (domainIds && !domainIds.has(row.domain_id))) return { error: "unknown" } satisfies SenderError;
  if (row.local_part === "*") return { error: "A catch-all receives only" };
  const checked = applySenderRule(row, row.address, domainIds);
  if ("error" in checked) return checked;
  const { id, domain_id: domainId, domain, address: email, display_name: name } = row;
  return { mailboxId: id, domainId, domain, email, name };
}
