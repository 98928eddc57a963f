import type * as z from "zod";
import { outlives, refuseOauth } from "../../access/accounts/outlives.ts";
import { type CallerCtx, requireAllDomains } from "../../access/caller.ts";
import { utf8 } from "../../lib/bytes.ts";
import { forbidden, notFound, nullIfMissing, unprocessable } from "../../lib/errors.ts";
import { seal } from "../../lib/secret-box.ts";
import { SLACK_PURPOSE } from "../../notices/notification-channels/index.ts";
import { auditStatement } from "../../platform/audit/record.ts";
import { expectChanges, guardedBatch, onConcurrency } from "../../platform/db/batch.ts";
import { findPicture, pictureUrl, readAddress } from "../pictures/index.ts";
import { getWorkspace, requireActiveWorkspace, type WorkspaceRow } from "./queries.ts";
import type { BrandIn, WorkspacePatch } from "./schema.ts";

// json_patch removes the members that are null, and a setting that is missing has its default.
const UPDATE = `
  UPDATE workspaces SET name = ifnull(?2, name), settings = json_patch(settings, ?3),
    sending_paused_at = CASE ?4 WHEN 1 THEN ifnull(sending_paused_at, ?5) WHEN 0 THEN iif(paused_by_platform_at IS NULL, NULL, sending_paused_at)
      ELSE sending_paused_at END,
    slack_webhook_url = CASE WHEN ?6 THEN ?7 ELSE slack_webhook_url END
   WHERE number = ?1 AND deleted_at IS NULL`;

/**
 * Changes the given fields of a workspace; a setting that is null gets its default. A sending pause holds queued emails
 * back and refuses new ones, from the next request on. Throws 404, and 403 for a key that is restricted to domains
 * and for a resume while the platform pauses the workspace, and for the Slack URL by an OAuth token; 422 for more days
 * of retention than the deployment has, and for a logo that is no picture of the workspace.
 */
export async function updateWorkspace(ctx: CallerCtx, id: string, patch: WorkspacePatch): Promise<WorkspaceRow> {
  await requireActiveWorkspace(ctx, id);
  requireAllDomains(ctx);
  const { slack_webhook_url: slackUrl, brand, ...others } = patch.settings ?? {};
  const settings = { ...others, brand: brand && (await toStoredBrand(ctx, brand)) };
  if (slackUrl !== undefined) refuseOauth(ctx.actor, outlives.slackUrl);
  requireRetention(ctx, settings.retention_days);
  if (patch.sending_paused === false && (await getWorkspace(ctx)).pausedByPlatformAt !== null)
    throw forbidden("The platform paused sending in this workspace; only it can end this pause");
  const given = [patch.name, patch.sending_paused, slackUrl, ...Object.values(settings)];
  if (given.every((value) => value === undefined)) return getWorkspace(ctx);
  const { workspace, db } = ctx;
  const sealed = slackUrl && (await seal(ctx.settings.masterKeys, SLACK_PURPOSE, workspace.id, utf8(slackUrl)));
  const paused = patch.sending_paused === undefined ? null : Number(patch.sending_paused);
  const values = [patch.name ?? null, JSON.stringify(settings), paused, ctx.now(), slackUrl === undefined ? 0 : 1];
  const shown = slackUrl === undefined ? settings : { ...settings, slack_webhook_url: slackUrl !== null };
  const detail = { ...patch, ...(patch.settings ? { settings: { ...shown, brand } } : {}) };
  await guardedBatch(db, [
    db.prepare(UPDATE).bind(workspace.number, ...values, sealed ?? null),
    expectChanges(db, 1),
    auditStatement(ctx, { action: "workspace.updated", target: workspace.id, detail }),
  ]).catch(onConcurrency(() => notFound("Workspace")));
  return getWorkspace(ctx);
}

/** Returns a brand as `json_patch` stores it. Throws 422 for a logo that is no picture of the workspace. */
async function toStoredBrand(ctx: CallerCtx, { logo_url: url, ...brand }: z.output<typeof BrandIn>) {
  if (!url) return url === null ? { ...brand, logo: null } : brand;
  const start = pictureUrl(ctx, "");
  const logo = url.startsWith(start) ? url.slice(start.length) : "";
  if (readAddress(logo)?.workspaceId === ctx.workspace.id && (await findPicture(ctx, logo).catch(nullIfMissing)))
    return { ...brand, logo };
  const msg = "logo_url must be the URL of a picture of the workspace";
  throw unprocessable([{ loc: ["body", "settings", "brand", "logo_url"], msg, type: "value_error" }]);
}

function requireRetention({ settings: { retentionDays } }: CallerCtx, days: number | null | undefined): void {
  if (typeof days !== "number" || days <= retentionDays) return;
  const msg = `Emails are kept for at most ${retentionDays} days`;
  throw unprocessable([{ loc: ["body", "settings", "retention_days"], msg, type: "less_than_equal" }]);
}
