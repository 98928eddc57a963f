import { and, desc, eq, getTableColumns, lt } from "drizzle-orm";
import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { visibleTo } from "../../access/visible-rows.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { orm } from "../../platform/db/client.ts";
import { smtpCredentials } from "../../platform/db/schema/main/index.ts";

const { hash: _hash, workspace: _workspace, ...columns } = getTableColumns(smtpCredentials);

export type SmtpCredentialRow = Awaited<ReturnType<typeof getSmtpCredential>>;

/** Returns one SMTP credential. Throws 404 for an id that is malformed, unknown, of another workspace or domain. */
export async function getSmtpCredential(ctx: CallerCtx, id: string) {
  const uuid = requireFound(parseUuid(id), "SMTP credential");
  const [row] = await orm(ctx)
    .select(columns)
    .from(smtpCredentials)
    .where(and(visibleTo(ctx, smtpCredentials), eq(smtpCredentials.id, uuid)));
  return requireFound(row, "SMTP credential");
}

/** Returns SMTP credentials, newest first, deactivated ones included; `after` continues after the one with this id. */
export function listSmtpCredentials(
  ctx: CallerCtx,
  { after, offset, limit }: ListRange & { offset: number },
): Promise<SmtpCredentialRow[]> {
  return orm(ctx)
    .select(columns)
    .from(smtpCredentials)
    .where(and(visibleTo(ctx, smtpCredentials), after === undefined ? undefined : lt(smtpCredentials.id, after)))
    .orderBy(desc(smtpCredentials.id))
    .limit(limit)
    .offset(offset);
}
