import { authenticateApiKey } from "../../src/access/accounts/authenticate.ts";
import { type CallerCtx, systemActor } from "../../src/access/caller.ts";
import { deleteWorkspace, updateWorkspace } from "../../src/identity/workspaces/index.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import {
  assignMailbox,
  createMailbox,
  MailboxIn,
  MailboxPatch,
  updateMailbox,
} from "../../src/mailboxes/mailboxes/index.ts";
import { createContext } from "../../src/platform/create-context.ts";
import { onShard, shardSql } from "../../src/platform/jobs/shards.ts";
import { seedWorkspace } from "../seed-workspace.ts";
import type { Past } from "./past.ts";
import { DAYS, newRandom, SHOP, type Shop, UNFINISHED } from "./shop.ts";

/** The workspace of the example shop. */
export interface ExampleWorkspace {
  number: number;
  id: string;
  name: string;
  /** False: it is being filled, or filling it ended half-way. */
  isFilled: boolean;
  ownerId: string;
  mailShard: number;
}

const FIND = `
  SELECT w.number, w.id, w.name, ${shardSql("w")} AS mailShard, m.user_id AS ownerId FROM domains d
    JOIN workspaces w ON w.number = d.workspace AND w.name IN (?2, ?3) AND w.deleted_at IS NULL
    JOIN memberships m ON m.workspace = w.number AND m.role = 'owner'
   WHERE d.name = ?1 ORDER BY m.created_at LIMIT 1`;

/** Returns the workspace of the example shop, or null: the one with its name and its domain. */
export async function findExample(env: Env): Promise<ExampleWorkspace | null> {
  const row = await env.DB.prepare(FIND)
    .bind(SHOP.domain, SHOP.name, UNFINISHED)
    .first<Omit<ExampleWorkspace, "isFilled">>();
  if (!row) return null;
  return { ...row, isFilled: row.name === SHOP.name };
}

/** Creates the workspace as it was when the history of the shop began, and the mailboxes of the shop. */
export async function createExample(past: Past, ownerId: string, end: number): Promise<Shop> {
  const seeded = await seedWorkspace(past.ctx, {
    name: UNFINISHED,
    userId: ownerId,
    domain: SHOP.domain,
    mailboxLocalPart: "hello",
  });
  const { actor, workspace } = await authenticateApiKey(past.ctx, seeded.apiKey);
  const caller: CallerCtx = { ...onShard(past.ctx, workspace.mailShard), actor, workspace, clientIp: null };
  past.mail = { ctx: caller, workspace: workspace.number };
  const orders = await createMailbox(
    caller,
    MailboxIn.parse({ domain_id: seeded.domainId, local_part: "orders", display_name: SHOP.name }),
  );
  await updateMailbox(caller, seeded.mailboxId, MailboxPatch.parse({ display_name: SHOP.name }));
  await assignMailbox(caller, seeded.mailboxId, { user_ids: [ownerId] });
  const begin = Math.floor((end - (DAYS - 1) * DAY_MS) / DAY_MS) * DAY_MS;
  return {
    past,
    caller,
    begin,
    end,
    random: newRandom(),
    orders: { id: orders.id, address: `orders@${SHOP.domain}` },
    hello: { id: seeded.mailboxId, address: seeded.mailbox },
  };
}

/** Gives the workspace its name: everything is in it. */
export async function finishExample({ caller }: Shop): Promise<void> {
  await updateWorkspace(caller, caller.workspace.id, { name: SHOP.name });
}

/** Returns the context of an owner of the example shop, now. */
export function ownerOf(env: Env, found: ExampleWorkspace): CallerCtx {
  const ctx = createContext(env, "example");
  const { number, id, name, mailShard, ownerId } = found;
  const limits = {
    sendingPaused: false,
    bulkPause: 0,
    isOverShare: false,
    isOverContent: false,
    mainSize: 0,
    mailSize: 0,
    dailyLimit: null,
  };
  const workspace = { number, id, name, slug: "", mailShard, ...limits };
  const actor = systemActor("example", ownerId, `hello@${SHOP.domain}`);
  return { ...onShard(ctx, workspace.mailShard), actor, workspace, clientIp: null };
}

/** Removes the example shop, filled or not: the workspace is gone at once, and the outbox deletes its rows. */
export async function removeExample(env: Env): Promise<void> {
  const found = await findExample(env);
  if (found) await deleteWorkspace(ownerOf(env, found), found.id);
}
