import type { CallerCtx } from "../../access/caller.ts";
import { issueOneTimeToken } from "../../access/tokens/one-time-tokens.ts";
import { AppError, forbidden, tooManyRequests } from "../../lib/errors.ts";
import type { MainStatement } from "../../platform/context.ts";
import { countSql, hasRoom } from "../../platform/db/has-room.ts";
import { formatPolicy } from "../../platform/rate-limits/rules.ts";
import { countForReader } from "../../platform/service-mail/count-for-reader.ts";
import { quoteName, strangersPolicy } from "../../platform/service-mail/rules.ts";
import { canSendSystemEmails, sendSystemEmail } from "../../sending/system-emails/index.ts";
import type { CheckedTarget } from "./check.ts";
import { isInsideSql } from "./queries.ts";
import { limits } from "./rules.ts";

const FIND_STATE = `
  SELECT ${isInsideSql("?1", "?2")} AS is_inside,
    EXISTS (SELECT 1 FROM forward_targets WHERE workspace = ?1 AND address = ?2 AND confirmed_at IS NOT NULL) AS is_confirmed,
    EXISTS (SELECT 1 FROM forward_targets WHERE workspace = ?1 AND address = ?2 AND requested_at > ?3) AS is_requested,
    (SELECT count(*) FROM forward_targets WHERE workspace = ?1 AND requested_at > ?3) AS requests`;

const OTHERS = countSql("forward_targets", "?1", { besides: "address <> ?2" });
const REQUEST = `
  INSERT INTO forward_targets (workspace, address, requested_at) SELECT ?1, ?2, ?3 WHERE ${hasRoom("forward_targets", "?1", OTHERS)}
  ON CONFLICT DO UPDATE SET requested_at = ?3 WHERE confirmed_at IS NULL AND requested_at <= ?4`;

type TargetState = Record<"is_inside" | "is_confirmed" | "is_requested", 0 | 1> & { requests: number };

/** A request to confirm an address: the statements to store it, and the function that sends its email afterwards. */
export interface ConfirmationRequest {
  /** True when mail may be forwarded to the target already. */
  isConfirmed: boolean;
  statements: MainStatement[];
  send(): Promise<void>;
}

const without = (isConfirmed: boolean): ConfirmationRequest => ({ isConfirmed, statements: [], send: async () => {} });

/**
 * Returns the request that an outside address of a rule needs before mail is forwarded to it
 * (docs/contract/inbound.md#forwarding-rules): an email with a link, at most one an hour to each address. Throws 403 for a
 * restricted account, 429 beyond 20 an hour of the workspace, 503 when the service cannot send emails of its own.
 */
export async function requestConfirmation(
  ctx: CallerCtx,
  { action, target, targetKey }: CheckedTarget,
): Promise<ConfirmationRequest> {
  if (action !== "address" || targetKey === null) return without(true);
  const { db, workspace, settings, actor } = ctx;
  const now = ctx.now();
  const since = now - limits.requestEveryMs;
  const state = await db.findRow<TargetState>(FIND_STATE, workspace.number, targetKey, since);
  if (state?.is_inside === 1 || state?.is_confirmed === 1) return without(true);
  if (!state || state.is_requested === 1) return without(false);
  if (actor.restricted) throw forbidden("This account is restricted and cannot send");
  if (state.requests >= limits.requestsPerHour) {
    const policy = `"forward-confirmations";q=${limits.requestsPerHour};w=${limits.requestEveryMs / 1000}`;
    throw tooManyRequests("Too many addresses to confirm; try again later", limits.requestEveryMs / 1000, policy);
  }
  if (!(await canSendSystemEmails(ctx)))
    throw new AppError(503, "The address cannot be asked: this service has no mailbox for its own emails");
  const counted = await countForReader(ctx, target);
  if (!counted)
    throw tooManyRequests(
      "This address gets no more mails of strangers today",
      strangersPolicy.windowSeconds,
      formatPolicy(strangersPolicy),
    );
  const { token, statement } = await issueOneTimeToken(ctx, "forward_target", {
    subject: targetKey,
    data: { workspace: workspace.number, name: workspace.name, email: target },
    ttlMs: limits.confirmWithinMs,
  });
  const parts = [
    `${actor.email} wants mail for the workspace ${quoteName(workspace.name)} to be forwarded to this address.`,
    {
      ask: "To receive that mail, open this link within 7 days:",
      label: "Receive this mail",
      url: `${settings.publicUrl}/forwards/${token}`,
    },
    "If you do not know the sender, ignore this email. Nothing is forwarded then.",
  ];
  return {
    isConfirmed: false,
    statements: [db.prepare(REQUEST).bind(workspace.number, targetKey, now, since), statement],
    send: async () => {
      const subject = "Receive forwarded mail at this address?";
      await sendSystemEmail(ctx, { to: target, subject, parts, cause: "forward_request", counted });
    },
  };
}
