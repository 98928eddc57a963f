import { isAtOrBelow } from "../../lib/is-at-or-below.ts";
import type { Ctx, Sandbox } from "../../platform/context.ts";
import type { Settings } from "../../platform/settings/settings.ts";
import { addRecordsStatements, newDelegation, publishRecords } from "../zones/index.ts";
import { generateSlotKeys } from "./delegate.ts";
import { insertKeysStatement, toSlotRecord } from "./dkim-keys.ts";
import { dmarcValue } from "./records.ts";
import { ROTATION_MS } from "./rotation-rules.ts";
import { newOwnershipToken, reversedName } from "./rules.ts";

/** Returns whether a name is SANDBOX_DOMAIN or below it: no workspace may register it. Pure. */
export const isReservedName = ({ sandbox }: Pick<Settings, "sandbox">, name: string): boolean =>
  sandbox !== null && isAtOrBelow(name, sandbox.domain);

// Without a time of the next check: the service itself publishes the records, so that no check ends the verification.
const INSERT_DOMAIN = `
  INSERT INTO domains (id, workspace, name, status, reversed_name, ownership_token, created_at, verified_at, setup, zone, zone_token,
    next_rotation_at, receives, is_sandbox)
  SELECT ?1, number, ?3, 'verified', ?4, ?5, ?6, ?6, 'delegated', ?7, ?8, ?9, 0, 1 FROM workspaces WHERE id = ?2`;

const INSERT_MAILBOX = `
  INSERT INTO mailboxes (id, workspace, domain_id, local_part, address, created_at)
  SELECT ?2, workspace, id, 'hello', 'hello@' || name, created_at FROM domains WHERE id = ?1`;

/**
 * Makes the test domain of a new workspace: verified, with a key that signs at once and one mailbox (docs/contract/domains.md#test-domain).
 * Returns statements for the workspace's batch, and what publishes its records after it. Null: no SANDBOX_DOMAIN, or its zone is full.
 */
export async function newSandbox(
  ctx: Ctx,
  { id: workspaceId, slug }: { id: string; slug: string },
): Promise<Sandbox | null> {
  const { sandbox } = ctx.settings;
  const delegation = sandbox?.zone && (await newDelegation(ctx, [sandbox.zone]));
  if (!sandbox || !delegation) return null;
  const [id, name, now] = [ctx.newId(), `${slug}.${sandbox.domain}`, ctx.now()];
  const inside = { ...delegation, own: name };
  const slotKeys = await generateSlotKeys(ctx, id, inside);
  const keys = slotKeys.map((key) => ({ ...key, activatedAt: key.slot === 1 ? now : null }));
  const names = [name, reversedName(name), newOwnershipToken()];
  const times = [delegation.zone, delegation.token, now + ROTATION_MS];
  const dmarc = dmarcValue(ctx.settings, { id, dmarcPolicy: "none" });
  return {
    statements: [
      ctx.db.prepare(INSERT_DOMAIN).bind(id, workspaceId, ...names, now, ...times),
      insertKeysStatement(ctx, keys),
      ...addRecordsStatements(ctx, { domainId: id, delegation: inside, keys: keys.map(toSlotRecord), dmarc }),
      ctx.db.prepare(INSERT_MAILBOX).bind(id, ctx.newId()),
    ],
    publish: () => publishRecords(ctx, id),
  };
}
