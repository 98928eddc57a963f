import { openDkimKey } from "../../domains/domains/index.ts";
import type { SigningKey } from "../../mail/dkim/keys.ts";
import type { Ctx } from "../../platform/context.ts";
import type { dkimKeys, mailboxes, workspaces } from "../../platform/db/schema/main/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { Forward } from "./types.ts";

/** The mailbox that forwards or replies to an email. */
export interface ForwardSender {
  domain: string;
  displayName: string | null;
  /** True when the workspace has paused sending. */
  isPaused: boolean;
  /** True when the target is on the suppression list, other than by an unsubscribe. */
  isSuppressed: boolean;
  key: SigningKey;
}

const FIND = `
  SELECT d.name AS domain, m.display_name, w.sending_paused_at, k.id, k.selector, k.private_key,
         EXISTS (SELECT 1 FROM suppressions s WHERE s.workspace = ?2 AND s.email IN (SELECT value FROM json_each(?3)) AND s.reason <> 'unsubscribe') AS is_suppressed
    FROM mailboxes m
    JOIN domains d ON d.id = m.domain_id AND d.workspace = m.workspace AND d.status = 'verified' AND NOT d.is_sandbox
    JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
    JOIN dkim_keys k ON k.domain_id = d.id AND k.activated_at IS NOT NULL AND k.retired_at IS NULL AND k.algorithm = 'rsa-sha256'
   WHERE m.id = ?1 AND m.workspace = ?2 AND m.is_active = 1 ORDER BY k.id DESC LIMIT 1`;

type SenderRow = StoredColumns<typeof dkimKeys, "id" | "selector" | "private_key"> &
  StoredColumns<typeof mailboxes, "display_name"> &
  StoredColumns<typeof workspaces, "sending_paused_at"> & { domain: string; is_suppressed: 0 | 1 };

/** Returns the mailbox of a forward. Null when it is not active, or its domain is not verified, has another owner or is a test domain. */
export async function findSender(
  ctx: Ctx,
  { mailbox, workspace }: Forward,
  targetKey: string,
): Promise<ForwardSender | null> {
  const row = await ctx.db.findRow<SenderRow>(FIND, mailbox, workspace, JSON.stringify(formsOf(targetKey)));
  return (
    row && {
      domain: row.domain,
      displayName: row.display_name,
      isPaused: row.sending_paused_at !== null,
      isSuppressed: row.is_suppressed === 1,
      key: {
        id: row.id,
        selector: row.selector,
        algorithm: "rsa-sha256",
        pkcs8: () => openDkimKey(ctx, row.id, row.private_key),
      },
    }
  );
}
