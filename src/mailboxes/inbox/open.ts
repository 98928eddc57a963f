import type { CallerCtx } from "../../access/caller.ts";
import { isAssignedSql } from "../../access/mailbox-sessions/rights.ts";
import { conflict, forbidden, notFound, requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { mailboxBudgets } from "../../platform/budgets/objects.ts";
import type { MainStatement } from "../../platform/context.ts";
import type { mailboxes } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { storeResponse } from "../../platform/idempotency/responses.ts";
import { type Author, type MailboxReads, type MailboxStore, mailboxStore } from "../mailbox-store/index.ts";

/** A mailbox of which the caller may use these operations. */
export interface OpenMailbox<Store = MailboxStore> {
  id: string;
  address: string;
  /** Its further addresses, in their order (docs/contract/mailboxes.md#aliases). */
  aliases: string[];
  displayName: string | null;
  quotaBytes: number | null;
  /** The role by which the caller opened a mailbox that it is not assigned to; null for its own. */
  openedAs: string | null;
  /** The people who are assigned, at most 50, by name. */
  people: readonly Author[];
  store: Store;
}

/** Returns whether several people answer the mail of a mailbox. */
export const isShared = ({ people }: Pick<OpenMailbox, "people">): boolean => people.length > 1;

/** Returns the caller as conversations name it. */
export const authorOf = ({ actor }: Pick<CallerCtx, "actor">): Author => ({
  id: actor.kind === "mailbox" ? actor.mailboxId : actor.userId,
  name: actor.name ?? actor.email,
});

/** A mailbox that the caller may read. */
export type ReadableMailbox = OpenMailbox<MailboxReads>;

type MailboxRow = StoredColumns<typeof mailboxes, "id" | "address" | "display_name" | "quota_bytes"> & {
  aliases: string;
  people: string;
  is_assigned: number;
};

/** For how long further calls of one credential are not recorded again. */
const RECORDED_MS = 3_600_000;

// `?1` is the mailbox, `?2` the workspace, `?3` the domains that the credential is restricted to, or null.
const VISIBLE = "m.id = ?1 AND m.workspace = ?2 AND (?3 IS NULL OR m.domain_id IN (SELECT value FROM json_each(?3)))";
const IS_ASSIGNED = isAssignedSql("m.id", "?4");

const PEOPLE = `
  SELECT u.id, coalesce(u.name, u.email) AS name FROM mailbox_assignees a
    JOIN memberships p ON p.workspace = m.workspace AND p.user_id = a.user_id JOIN users u ON u.id = a.user_id
   WHERE a.mailbox_id = m.id ORDER BY name LIMIT 50`;

const FIND = `
  SELECT m.id, m.address, m.display_name, m.quota_bytes, ${IS_ASSIGNED} AS is_assigned, (
    SELECT json_group_array(address) FROM (SELECT address FROM mailbox_aliases WHERE mailbox_id = m.id ORDER BY address)) AS aliases, (
    SELECT json_group_array(json_object('id', id, 'name', name)) FROM (${PEOPLE})) AS people
    FROM mailboxes m WHERE ${VISIBLE}`;

const RECORD = `
  INSERT INTO mailbox_openings (id, expires_at)
  SELECT m.id || ' ' || ?5, ?6 + ?7 FROM mailboxes m WHERE ${VISIBLE} AND NOT ${IS_ASSIGNED}
  ON CONFLICT DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at <= ?6`;

/** Opens a mailbox for the caller. Throws as `openMailboxWith` does. */
export const openMailbox = (ctx: CallerCtx, mailboxId: string): Promise<OpenMailbox> =>
  openMailboxWith(ctx, mailboxId, () => []).then(({ mailbox }) => mailbox);

/**
 * Opens a mailbox for the caller (docs/contract/mailboxes.md#rights-on-a-mailbox): an assigned user, an owner or admin, or the
 * session of the mailbox itself. For an owner or admin who is not assigned, the audit entry is committed before this returns. In the
 * same call to the database it runs the statements of `more`, and returns their rows.
 * Throws 404 for an unknown mailbox, 403 for one that the caller is not assigned to and for any but that of a mailbox session.
 */
export async function openMailboxWith<Row>(
  ctx: CallerCtx,
  mailboxId: string,
  more: (id: string) => MainStatement[],
): Promise<{ mailbox: OpenMailbox; rows: Row[] }> {
  const { actor, workspace } = ctx;
  const id = parseUuid(mailboxId);
  // For any other id, known or not, so that the session learns nothing about other mailboxes.
  if (actor.kind === "mailbox" && actor.mailboxId !== id)
    throw forbidden("A session of a mailbox acts on its own mailbox only");
  if (id === null) throw notFound("Mailbox");
  const values = [id, workspace.number, actor.domainIds && JSON.stringify([...actor.domainIds]), actor.userId];
  const mayOpenAll = actor.kind !== "mailbox" && actor.role !== "member";
  const audit: MainStatement[] = mayOpenAll
    ? [
        ctx.db.prepare(RECORD).bind(...values, actor.credentialId, ctx.now(), RECORDED_MS),
        auditIfChangedStatement(ctx, { action: "opened as", target: id, detail: { opened_as: actor.role } }),
      ]
    : [];
  const results = await ctx.db.batch([...audit, ctx.db.prepare(FIND).bind(...values), ...more(id)]);
  const row = requireFound(results[audit.length]?.results[0] as MailboxRow | undefined, "Mailbox");
  if (actor.kind !== "mailbox" && !mayOpenAll && row.is_assigned !== 1)
    throw forbidden("You are not assigned to this mailbox");
  const mailbox = {
    id,
    address: row.address,
    aliases: JSON.parse(row.aliases) as string[],
    people: JSON.parse(row.people) as Author[],
    displayName: row.display_name,
    quotaBytes: row.quota_bytes,
    openedAs: actor.kind === "mailbox" || row.is_assigned === 1 ? null : actor.role,
    store: mailboxStore(ctx, id),
  };
  return { mailbox, rows: results.slice(audit.length + 1).flatMap(({ results: rows }) => rows as Row[]) };
}

/** Stores the response to a change that the mailbox has made, for a repeated request with the same Idempotency-Key, and returns it. */
export async function keepResponse<Response>(ctx: CallerCtx, response: Response): Promise<Response> {
  const statements = await storeResponse(ctx, response);
  if (statements.length > 0) await ctx.db.batch(statements);
  return response;
}

/** Records an object of a mailbox, which is deleted in a day. Throws 409 for a mailbox with as many as it may have. */
export async function requireUpload(mailbox: OpenMailbox, object: string): Promise<void> {
  const { rows, of, remedy } = mailboxBudgets.uploads;
  if (!(await mailbox.store.addUpload(object))) throw conflict(`A mailbox has at most ${rows} ${of}; ${remedy}`);
}
