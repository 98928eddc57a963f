import { withTimeout } from "../../lib/deadline.ts";
import { tryOr } from "../../lib/try-or.ts";
import type { Ctx } from "../../platform/context.ts";
import { findCfblIssues, findSettingIssues, findZoneIssues } from "../../platform/settings/setting-issues.ts";
import { egressOf, findEgressIssues } from "../../sending/delivery/index.ts";
import { findLastResponse, hasResponded } from "../../sending/egress-outages/index.ts";
import { readSystemMail } from "../../sending/system-emails/index.ts";
import { DATABASE_TIMEOUT_MS, readOutboxes } from "./outboxes.ts";
import { decideReadiness, type Readiness } from "./rules.ts";

/** Outbox rows that are counted in each database. */
const MAX_ROWS = 1_000;
/** How long a response is used again, in milliseconds: the endpoint needs no credential, and each response reads every database. */
const REUSE_MS = 5_000;

const responses = new WeakMap<object, { at: number; response: Promise<Readiness> }>();

/** Returns whether the service is ready. The databases are read at most once in REUSE_MS. Never throws. */
export function readReadiness(ctx: Ctx): Promise<Readiness> {
  const known = responses.get(ctx.env);
  if (known && ctx.now() - known.at < REUSE_MS) return known.response;
  const response = read(ctx);
  responses.set(ctx.env, { at: ctx.now(), response });
  return response;
}

async function read(ctx: Ctx): Promise<Readiness> {
  const settingIssues = findSettingIssues(ctx.env);
  const [outboxes, systemMail, hasEgressResponded] = await Promise.all([
    readOutboxes(ctx, MAX_ROWS),
    systemMailState(ctx),
    readResponse(ctx),
  ]);
  const found = {
    settingIssues,
    egress: egressState(ctx),
    egressIssues: tryOr(() => findEgressIssues(ctx.settings), []),
    zoneIssues: findZoneIssues(ctx.env),
    cfblIssues: findCfblIssues(ctx.env),
    hasEgressResponded,
    systemMail,
    outboxes,
  };
  return decideReadiness(found, ctx.now());
}

/** Returns `unknown` when the settings cannot be read or the main database fails, which are conditions of their own. */
const systemMailState = (ctx: Ctx): Promise<Readiness["system_mail"]> =>
  withTimeout(DATABASE_TIMEOUT_MS, readSystemMail(ctx)).catch(() => "unknown");

/** Returns whether the egress has responded of late. False also when the main database does not tell. */
const readResponse = (ctx: Ctx): Promise<boolean> =>
  withTimeout(DATABASE_TIMEOUT_MS, findLastResponse(ctx)).then(
    (at) => hasResponded(at, ctx.now()),
    () => false,
  );

function egressState(ctx: Ctx): string {
  const egress = tryOr(() => egressOf(ctx.settings), null);
  if (egress === null) return "unknown";
  return "issue" in egress ? egress.issue : "configured";
}
