import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { hashPassword } from "../../access/mailbox-sessions/password.ts";
import { getDomain } from "../../domains/domains/index.ts";
import { badRequest, conflict } from "../../lib/errors.ts";
import { randomToken } from "../../lib/secret-box.ts";
import { iso } from "../../lib/time.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { ConcurrencyError, expectChanges, guardedBatch, isUniqueViolation } from "../../platform/db/batch.ts";
import { storeSecretResponse } from "../../platform/idempotency/responses.ts";
import { usernameOf } from "./rules.ts";
import type { NewSmtpCredentialOut, SmtpCredentialIn } from "./schema.ts";

// Inserts nothing when the domain stopped being verified since it was read.
const INSERT = `
  INSERT INTO smtp_credentials (id, workspace, domain_id, user_id, username, hash, created_at)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
   WHERE EXISTS (SELECT 1 FROM domains WHERE id = ?3 AND workspace = ?2 AND status = 'verified')`;

/**
 * Creates the SMTP credential of a verified domain, which sends. Throws 403 without `emails:send`, 404 for the domain, 400 when it is not verified or a test domain of the service, 409 when it
 * has an active credential; a unique index decides between concurrent calls.
 */
export async function createSmtpCredential(ctx: CallerCtx, input: SmtpCredentialIn): Promise<NewSmtpCredentialOut> {
  requireScopes(ctx.actor, "emails:send");
  const domain = await getDomain(ctx, input.domain_id);
  if (domain.isSandbox)
    throw badRequest(`The test domain ${domain.name} has no SMTP credential; it sends by the API and the pages`);
  if (domain.status !== "verified") throw badRequest(`The domain ${domain.name} is not verified`);
  const password = randomToken();
  const response = {
    id: ctx.newId(),
    username: usernameOf(ctx.actor.userId, domain.name),
    password,
    smtp_host: ctx.settings.smtpHost,
    smtp_port: ctx.settings.smtpPort,
    created_at: iso(ctx.now()),
  };
  const owner = [response.id, ctx.workspace.number, domain.id, ctx.actor.userId];
  const { username } = response;
  try {
    await guardedBatch(ctx.db, [
      ctx.db.prepare(INSERT).bind(...owner, username, await hashPassword(password), Date.parse(response.created_at)),
      expectChanges(ctx.db, 1),
      auditStatement(ctx, { action: "smtp_credential.created", target: response.id, detail: { username } }),
      ...(await storeSecretResponse(ctx, response)),
    ]);
  } catch (error) {
    if (isUniqueViolation(error)) throw conflict("This domain already has an active SMTP credential");
    if (error instanceof ConcurrencyError && !ctx.idempotency)
      throw badRequest(`The domain ${domain.name} is not verified`);
    throw error;
  }
  return response;
}
