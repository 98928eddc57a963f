import { mintApiKey } from "../src/access/accounts/api-key.ts";
import type { Role } from "../src/access/caller.ts";
import { generateDkimKeys, newOwnershipToken, RECHECK_MS, reversedName } from "../src/domains/domains/index.ts";
import { placementStatements } from "../src/identity/workspaces/new-workspace.ts";
import { parseAddress } from "../src/lib/addresses.ts";
import { dkimRecord } from "../src/mail/dkim/keys.ts";
import type { Ctx } from "../src/platform/context.ts";
import { orm } from "../src/platform/db/client.ts";
import { apiKeys, dkimKeys, domains, mailboxes, memberships, users } from "../src/platform/db/schema/main/index.ts";

/** Input of `seedWorkspace`; ids, keys and tokens are random. */
export interface SeedInput {
  name: string;
  /** Email address of the owner's account, which is new; or the id of one that exists. */
  email?: string;
  userId?: string;
  /** Inserted as verified, without a DNS check. */
  domain: string;
  mailboxLocalPart: string;
  role?: Role;
  /** Number of its mail database. Default: the emptiest. */
  mailShard?: number;
  scopes?: string[];
}

export interface Seeded {
  workspaceId: string;
  workspaceNumber: number;
  /** Number of its mail database. */
  mailShard: number;
  userId: string;
  domainId: string;
  mailboxId: string;
  apiKey: string;
  domain: string;
  mailbox: string;
  /** The TXT record of each DKIM key, as DNS would respond. */
  dkim: { selector: string; record: string }[];
}

/**
 * Inserts a workspace that can send: owner, verified domain with DKIM keys, mailbox, API key. Used by `npm start`, the
 * bench and tests; no route calls it. Everything but the workspace row is one transaction, so no seed is partial.
 * Throws when an address is invalid.
 */
export async function seedWorkspace(ctx: Ctx, input: SeedInput): Promise<Seeded> {
  const db = orm(ctx);
  const now = ctx.now();
  const owner = input.email === undefined ? null : parseAddress(input.email);
  const mailbox = parseAddress(`${input.mailboxLocalPart}@${input.domain}`);
  if ((!owner && input.userId === undefined) || !mailbox)
    throw new Error("the seed's owner or mailbox is not a valid email address");
  const [newUserId, workspaceId, domainId, mailboxId] = [ctx.newId(), ctx.newId(), ctx.newId(), ctx.newId()];
  const userId = input.userId ?? newUserId;
  const slug = `${input.domain.replaceAll(".", "-")}-${workspaceId.slice(-6)}`;
  const { number, mailShard } = await insertWorkspace(
    ctx,
    { id: workspaceId, name: input.name, slug },
    input.mailShard,
  );
  const { key: apiKey, prefix, hash } = await mintApiKey(ctx.settings.masterKeys);
  const keys = await generateDkimKeys(ctx, domainId);
  const user = owner && { id: userId, email: owner.address, emailKey: owner.key, name: input.name, createdAt: now };
  await db.batch([
    db.insert(domains).values({
      id: domainId,
      workspace: number,
      name: mailbox.domain,
      status: "verified",
      reversedName: reversedName(mailbox.domain),
      ownershipToken: newOwnershipToken(),
      createdAt: now,
      verifiedAt: now,
      nextCheckAt: now + RECHECK_MS,
    }),
    ...(user ? [db.insert(users).values(user)] : []),
    db.insert(memberships).values({ workspace: number, userId, role: input.role ?? "owner", createdAt: now }),
    db.insert(dkimKeys).values(keys.map((key) => ({ ...key, activatedAt: now }))),
    db.insert(mailboxes).values({
      id: mailboxId,
      workspace: number,
      domainId,
      localPart: mailbox.local,
      address: mailbox.key,
      createdAt: now,
    }),
    db.insert(apiKeys).values({
      id: ctx.newId(),
      workspace: number,
      userId,
      name: "First key",
      prefix,
      hash,
      scopes: input.scopes ?? ["*"],
      createdAt: now,
    }),
  ]);
  const dkim = keys.map((key) => ({ selector: key.selector, record: dkimRecord(key.algorithm, key.publicKey) }));
  return {
    workspaceId,
    workspaceNumber: number,
    mailShard,
    userId,
    domainId,
    mailboxId,
    apiKey,
    domain: mailbox.domain,
    mailbox: mailbox.address,
    dkim,
  };
}

/** Inserts the row of a workspace and places it on a mail database. */
async function insertWorkspace(
  ctx: Ctx,
  { id, name, slug }: { id: string; name: string; slug: string },
  mailShard: number | undefined,
): Promise<{ number: number; mailShard: number }> {
  const insert = "INSERT INTO workspaces (id, name, slug, created_at) VALUES (?1, ?2, ?3, ?4)";
  const place = "UPDATE workspaces SET mail_shards = json_array(?2) WHERE id = ?1";
  await ctx.db.batch([
    ctx.db.prepare(insert).bind(id, name, slug, ctx.now()),
    ...(mailShard === undefined ? placementStatements(ctx, id) : [ctx.db.prepare(place).bind(id, mailShard)]),
  ]);
  const row = await ctx.db
    .prepare("SELECT number, mail_shards->>0 AS mailShard FROM workspaces WHERE id = ?1")
    .bind(id)
    .first<{ number: number; mailShard: number }>();
  if (!row) throw new Error("the workspace row was not inserted");
  return row;
}
