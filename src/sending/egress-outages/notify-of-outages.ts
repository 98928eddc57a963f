import { type Notice, notifyWorkspaces } from "../../notices/notifications/index.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { Steps } from "../../platform/jobs/turns.ts";
import { NOTICE_AFTER_MS, NOTICE_STEPS, NOTICE_WORKSPACES, NOTICED_WITHIN_MS, type Outage } from "./rules.ts";
import { listOutages } from "./state.ts";

const FIND_ENDED = `
  SELECT workspace, notified FROM outage_workspaces WHERE notified IS NOT NULL AND notified IS NOT ?1 ORDER BY notified LIMIT ?2`;
const CLEAR = `
  UPDATE outage_workspaces SET notified = NULL
   WHERE workspace IN (SELECT value FROM json_each(?1)) AND notified IS NOT ?2`;

const FIND_WAITING = "SELECT workspace FROM outage_workspaces WHERE notified IS NULL AND waiting_at >= ?1 LIMIT ?2";
const MARK = "UPDATE outage_workspaces SET notified = ?2 WHERE workspace IN (SELECT value FROM json_each(?1))";

const DELETE_OLD = `
  DELETE FROM outage_workspaces WHERE workspace IN (
    SELECT workspace FROM outage_workspaces WHERE notified IS NULL AND waiting_at < ?1 LIMIT ?2)`;

/**
 * Notifies the owners of workspaces with emails in one mail database of an outage that has lasted for ten minutes, and of its
 * end, in steps of NOTICE_WORKSPACES. A notification has the key of its outage, so each workspace gets both once, also when
 * two runs meet or a step is repeated after a crash. What NOTICE_STEPS leave is done a minute later.
 */
export async function* notifyOfOutages(ctx: MailCtx): Steps {
  const outages = await listOutages(ctx);
  const lasting = outages.find(({ endedAt }) => endedAt === null) ?? null;
  const now = ctx.now();
  for (let step = 0; step < NOTICE_STEPS && (await notifyOfEnd(ctx, outages, lasting)); step++) yield;
  const isLong = lasting !== null && now - lasting.beganAt >= NOTICE_AFTER_MS;
  if (isLong) for (let step = 0; step < NOTICE_STEPS && (await notifyOfOutage(ctx, lasting)); step++) yield;
  const before = (lasting?.beganAt ?? now) - NOTICED_WITHIN_MS;
  await ctx.mail.execute(DELETE_OLD, before, NOTICE_WORKSPACES * NOTICE_STEPS);
}

/** Notifies of the end of outages. Returns true when a further step may find more. */
async function notifyOfEnd(ctx: MailCtx, outages: readonly Outage[], lasting: Outage | null): Promise<boolean> {
  const values = [lasting?.id ?? null, NOTICE_WORKSPACES];
  const results = await ctx.mail.listRows<{ workspace: number; notified: string }>(FIND_ENDED, ...values);
  if (results.length === 0) return false;
  const [{ notified } = { notified: "" }] = results;
  const workspaces = results.filter((row) => row.notified === notified).map(({ workspace }) => workspace);
  const outage = outages.find(({ id }) => id === notified);
  // One that ended days ago is no news: its database did not respond since.
  if (outage) await notifyWorkspaces(ctx, workspaces, endNotice(outage));
  await ctx.mail.execute(CLEAR, JSON.stringify(workspaces), lasting?.id ?? null);
  return true;
}

/** Notifies of the outage that lasts. Returns true when a further step may find more. */
async function notifyOfOutage(ctx: MailCtx, outage: Outage): Promise<boolean> {
  const values = [outage.beganAt - NOTICED_WITHIN_MS, NOTICE_WORKSPACES];
  const results = await ctx.mail.listRows<{ workspace: number }>(FIND_WAITING, ...values);
  if (results.length === 0) return false;
  const workspaces = results.map(({ workspace }) => workspace);
  await notifyWorkspaces(ctx, workspaces, outageNotice(outage));
  await ctx.mail.execute(MARK, JSON.stringify(workspaces), outage.id);
  return results.length === NOTICE_WORKSPACES;
}

/** Returns the notification of an outage that lasts. It is not emailed: the email would wait with the others. */
export function outageNotice({ id, beganAt }: Outage): Notice & { key: string } {
  return {
    category: "alerts",
    severity: "warning",
    title: "Emails wait for the mail server of the service",
    body: `Since ${minuteOf(beganAt)} the service has not been able to hand over emails. They are kept, and leave by themselves when it can again.`,
    href: "/emails",
    key: `outage ${id}`,
    hasOwnEmail: true,
  };
}

/** Returns the notification of the end of an outage. It names both times, as its email may be read much later. */
function endNotice({ id, beganAt, endedAt }: Outage): Notice & { key: string } {
  return {
    category: "alerts",
    severity: "success",
    title: "Emails no longer wait for the mail server of the service",
    body: `From ${minuteOf(beganAt)} to ${minuteOf(endedAt ?? beganAt)} the service could not hand over emails. Those that waited leave now, oldest first.`,
    href: "/emails",
    key: `outage-end ${id}`,
  };
}

const minuteOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
