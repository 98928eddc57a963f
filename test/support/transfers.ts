import { env } from "cloudflare:workers";
import type { ApiKeyActor, CallerCtx } from "../../src/access/caller.ts";
import { reversedName } from "../../src/domains/domains/index.ts";
import { openLinks } from "../../src/lib/sealed-links.ts";
import { performCall } from "../../src/transfers/domain-transfers/index.ts";
import type { TransferRequest } from "../../src/transfers/domain-transfers/object.ts";
import type { TransferOut } from "../../src/transfers/domain-transfers/schema.ts";
import { newToken, type TokenKind } from "../../src/transfers/domain-transfers/tokens.ts";
import { database } from "./databases.ts";
import { uniqueDomainName } from "./domains.ts";
import type { LocalDatabase } from "./local-database.ts";
import { oncePerFile } from "./once-per-file.ts";
import { aWorkspace, discardingQueue, type TestWorkspace, testContext, until } from "./workspace.ts";

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** The address of the account that owns a workspace of a test. */
export const ownerOf = async ({ userId }: Pick<TestWorkspace, "userId">): Promise<string> => {
  const row = await database.row<{ email: string }>("SELECT email FROM users WHERE id = ?1", [userId]);
  return row?.email ?? "";
};

/** Creates the workspace whose mailbox sends the service's own emails. Once in a test file, which needs databases of its own. */
export const aSystemWorkspace = () => aWorkspace({ domain: "example.com" });

/** Inserts a verified domain without DKIM keys, which is faster than a new workspace. Returns its id and name. */
export async function insertDomain(
  { workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">,
  name = uniqueDomainName(),
  status = "verified",
  db: LocalDatabase = env.DB,
): Promise<{ id: string; name: string }> {
  const id = testContext().newId();
  const insert = db.prepare(
    `INSERT INTO domains (id, workspace, name, status, ownership_token, created_at, verified_at, reversed_name)
     VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?5, ?6)`,
  );
  await insert.bind(id, workspaceNumber, name, status, Date.now(), reversedName(name)).run();
  return { id, name };
}

/** The account to which the transfers of the access matrix are offered. */
export const TRANSFER_TARGET = "transfer-target@example.org";

/** Returns the workspace of that account, and another one whose domains are offered. */
export const aTransferTarget = oncePerFile(async () => {
  const [workspace, source] = await Promise.all([aWorkspace({ email: TRANSFER_TARGET }), aSystemWorkspace()]);
  return { ...workspace, email: TRANSFER_TARGET, source };
});

/** Inserts a transfer of a new domain to an address: pending, or accepted into a workspace. Returns its id and domain. */
export async function insertTransfer({
  source,
  email,
  targetWorkspace = null,
}: {
  source: TestWorkspace;
  email: string;
  targetWorkspace?: number | null;
}): Promise<{ id: string; domainId: string; name: string }> {
  const id = testContext().newId();
  const domain = await insertDomain(source);
  const now = Date.now();
  await database.run(
    `INSERT INTO domain_transfers (id, domain_id, domain_name, reversed_name, status, source_user_id, source_workspace,
       source_org_id, source_label, target_email, target_email_key, target_workspace, target_org_id, target_user_id,
       initiated_at, expires_at, accepted_at, cooloff_until)
     SELECT ?1, ?2, ?3, ?4, CASE WHEN ?5 IS NULL THEN 'pending' ELSE 'accepted' END, ?6, ?7, ?8, 'A label', ?9, ?9, ?5,
       (SELECT id FROM workspaces WHERE number = ?5), CASE WHEN ?5 IS NOT NULL THEN u.id END, ?10, ?10 + ?11,
       CASE WHEN ?5 IS NOT NULL THEN ?10 END, CASE WHEN ?5 IS NOT NULL THEN ?10 + ?12 END
       FROM users u WHERE u.email_key = ?9`,
    [
      ...[id, domain.id, domain.name, reversedName(domain.name), targetWorkspace, source.userId],
      ...[source.workspaceNumber, source.workspaceId, email, now, 7 * DAY, DAY],
    ],
  );
  return { id, domainId: domain.id, name: domain.name };
}

/** Offers a domain to the owner of another workspace and returns the transfer. */
export async function initiate(
  source: TestWorkspace,
  target: Pick<TestWorkspace, "userId">,
  domainId = source.domainId,
): Promise<TransferOut> {
  const response = await source.post(`/v1/domains/${domainId}/transfer`, { target_email: await ownerOf(target) });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<TransferOut>();
}

/** Accepts a transfer by its id and returns it. */
export async function acceptById(
  target: Pick<TestWorkspace, "post">,
  id: string,
  body: Record<string, unknown> = {},
): Promise<TransferOut> {
  const response = await target.post(`/v1/domain-transfers/by-id/${id}/accept`, body);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.json<TransferOut>();
}

/** Returns a further token of a transfer, as a mailed link has it. */
export async function aToken(kind: TokenKind, transferId: string, db: LocalDatabase = env.DB): Promise<string> {
  const { token, statement } = await newToken(testContext({ DB: db }), kind, transferId);
  await statement.run();
  return token;
}

/** Returns the token that was mailed to an address, when the email has arrived. */
export async function mailedToken(kind: TokenKind, email: string): Promise<string> {
  const [, token = ""] = await mailedMatch(email, new RegExp(`/domain-transfers/${kind}/([\\w-]{43})`));
  return token;
}

/** Returns the match of a pattern in the newest email of the service to an address that has one, when it has arrived. */
export async function mailedMatch(email: string, pattern: RegExp): Promise<RegExpExecArray> {
  const find = async () => {
    const results = await database.rows<{ content: string }>(
      "SELECT content FROM emails WHERE source = 'system' AND lower(recipients->>'$[0].email') = lower(?1) ORDER BY id DESC",
      [email],
    );
    for (const { content } of results) {
      const match = pattern.exec(await openLinks(testContext().settings.masterKeys, content));
      if (match) return match;
    }
    return null;
  };
  const found = await until(find, (match) => match !== null);
  if (found === null) throw new Error(`${email} got no email with ${pattern}`);
  return found;
}

/** Moves the times of a transfer into the past, as if it had been made `ms` earlier. */
export async function age(transferId: string, ms: number): Promise<void> {
  await database.run(
    `UPDATE domain_transfers SET initiated_at = initiated_at - ?2, expires_at = expires_at - ?2,
       accepted_at = accepted_at - ?2, cooloff_until = cooloff_until - ?2 WHERE id = ?1`,
    [transferId, ms],
  );
}

/** Runs what is due for a domain in its object, at a time in ms since 1970. */
export const runDeadlineAt = (domainId: string, now: number) =>
  env.DOMAIN_TRANSFER.getByName(domainId).runDeadline(domainId, now);

/** Completes an accepted transfer, as the object does at the end of the safety window. */
export async function complete({ id, domain_id }: TransferOut): Promise<void> {
  await age(id, DAY);
  await runDeadlineAt(domain_id, Date.now());
}

/** Transfers a domain as a whole. */
export async function transfer(
  source: TestWorkspace,
  target: TestWorkspace,
  { domainId = source.domainId, body = {} }: { domainId?: string; body?: Record<string, unknown> } = {},
): Promise<TransferOut> {
  const { id } = await initiate(source, target, domainId);
  const accepted = await acceptById(target, id, body);
  await complete(accepted);
  return accepted;
}

/** Returns the status and the code of a response, and its body. */
export async function decide(response: Response): Promise<{ status: number; code: string | null; body: unknown }> {
  const body = await response.json<{ code?: string }>();
  return { status: response.status, code: body.code ?? null, body };
}

/** A workspace as a caller with the API key of its owner, for calls at any time. */
export interface Party extends TestWorkspace {
  email: string;
}

export const asParty = async (workspace: TestWorkspace): Promise<Party> => ({
  ...workspace,
  email: await ownerOf(workspace),
});

/** Performs a call as the object of the domain does, at a time in ms since 1970. Nothing is mailed. */
export async function performAt(
  now: number,
  party: Party,
  domainId: string,
  request: TransferRequest,
  settings: Record<string, unknown> = {},
) {
  const { result } = await performCall({ ...env, WORK: discardingQueue, ...settings } as unknown as Env, {
    domainId,
    request,
    caller: callerOf(party),
    idempotency: null,
    requestId: "test",
    now,
  });
  if ("lostRace" in result) return { status: 409, code: "lost_race", response: null };
  if ("error" in result) return { status: result.error.status, code: result.error.extra.code ?? null, response: null };
  return { status: 200, code: null, response: result.response };
}

/** Returns the caller of a call, as the middleware finds it for the API key of the owner. */
function callerOf(party: Party): Pick<CallerCtx, "actor" | "workspace" | "clientIp"> {
  const actor: ApiKeyActor = {
    ...{ kind: "api_key", credentialId: party.workspaceId, keyPrefix: "", userId: party.userId, email: party.email },
    ...{ name: null, role: "owner", scopes: new Set(["domains:manage", "domains:view"]), grantsAll: true },
    ...{ domainIds: null, expiresAt: null, restricted: false, mailboxesOnly: false },
  };
  const { workspaceNumber, workspaceId, mailShard } = party;
  const workspace = {
    ...{ number: workspaceNumber, id: workspaceId, name: party.domain, slug: party.domain, sendingPaused: false },
    ...{
      mailShard,
      isOverShare: false,
      isOverContent: false,
      mainSize: 0,
      mailSize: 0,
      bulkPause: 0,
      dailyLimit: null,
    },
  };
  return { actor, workspace, clientIp: null };
}

/** Returns the numbers of the workspaces that own a domain of this name as verified. */
export async function ownersOf(name: string, db: LocalDatabase = env.DB): Promise<number[]> {
  const { results } = await db
    .prepare("SELECT workspace FROM domains WHERE name = ?1 AND status = 'verified'")
    .bind(name)
    .all<{ workspace: number }>();
  return results.map(({ workspace }) => workspace);
}
