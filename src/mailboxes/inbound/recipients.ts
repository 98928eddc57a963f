import { reversedName } from "../../domains/domains/index.ts";
import { type Address, parseAddress } from "../../lib/addresses.ts";
import type { Ctx } from "../../platform/context.ts";
import { MAIL_SIZE_SQL, OVER_SHARE_SQL } from "../../platform/jobs/shard-sizes.ts";
import { shardSql } from "../../platform/jobs/shards.ts";
import type { ForwardingMailbox } from "../forwards/index.ts";

/** A hosted mailbox that mail can be delivered to. */
export interface RecipientMailbox extends ForwardingMailbox {
  workspace_id: string;
  /** Number of the mail database of the workspace. */
  shard: number;
  quota_bytes: number | null;
  used_bytes: number;
  /** Bytes of the mail database of the workspace, and whether the workspace has more than its share of it. */
  mail_size: number;
  over_share: 0 | 1;
}

// The address comes before the one without its plus-label, and that before the catch-all. Mail for the postmaster of the domain ?2 that has
// none of them goes to its oldest mailbox (docs/contract/inbound.md#intake).
const FIND_MAILBOX = `
  SELECT m.id, m.address, t.address AS received_as, m.domain_id, m.workspace, w.id AS workspace_id, ${shardSql("w")} AS shard, m.quota_bytes, m.used_bytes,
         ${MAIL_SIZE_SQL} AS mail_size, ${OVER_SHARE_SQL} AS over_share,
         EXISTS (SELECT 1 FROM forwarding_rules r WHERE r.domain_id = m.domain_id AND r.is_active = 1) AS has_rules,
         EXISTS (SELECT 1 FROM auto_replies a WHERE a.mailbox_id = m.id AND a.is_active = 1) AS has_auto_reply
    FROM (
      SELECT j.key AS place, o.address, o.id AS mailbox_id, o.domain_id FROM json_each(?1) j CROSS JOIN mailboxes o ON o.address = j.value
      UNION ALL
      SELECT j.key, a.address, a.mailbox_id, a.domain_id FROM json_each(?1) j CROSS JOIN mailbox_aliases a ON a.address = j.value
      UNION ALL
      SELECT * FROM (
        SELECT 9, o.address, o.id, o.domain_id FROM domains p JOIN mailboxes o ON o.domain_id = p.id AND o.is_active = 1
         WHERE p.reversed_name = ?2 AND p.status = 'verified' ORDER BY o.created_at LIMIT 1)) t
    JOIN mailboxes m ON m.id = t.mailbox_id AND m.is_active = 1
    JOIN domains d ON d.id = t.domain_id AND d.workspace = m.workspace AND d.status = 'verified' AND NOT d.is_sandbox
    JOIN workspaces w ON w.number = m.workspace AND w.deleted_at IS NULL
   ORDER BY t.place LIMIT 1`;

/** The recipient without a domain that each server takes: the operator of the service (RFC 5321 4.5.1). */
const POSTMASTER = "postmaster";

/** Returns the mailbox that receives mail for an address, or null. */
export async function findMailbox(ctx: Ctx, recipient: string): Promise<RecipientMailbox | null> {
  const address = parseAddress(recipient.toLowerCase() === POSTMASTER ? ctx.settings.systemMailbox : recipient);
  if (!address) return null;
  const postmasterOf = address.key === `${POSTMASTER}@${address.domain}` ? reversedName(address.domain) : null;
  return ctx.db.findRow<RecipientMailbox>(FIND_MAILBOX, JSON.stringify(candidates(address)), postmasterOf);
}

/** Returns the addresses of mailboxes that an address may belong to, the best first. */
function candidates({ key, domain }: Address): string[] {
  const local = key.slice(0, key.lastIndexOf("@"));
  const plus = local.indexOf("+");
  const base = plus > 0 ? [`${local.slice(0, plus)}@${domain}`] : [];
  return [key, ...base, `*@${domain}`];
}
