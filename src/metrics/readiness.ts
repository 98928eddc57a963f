import type { Ctx } from "../context.ts";
import { egressOf } from "../delivery/index.ts";
import { findSettingFaults } from "../setting-faults.ts";
import { readOutboxes } from "./outboxes.ts";
import { decideReadiness, type Readiness } from "./rules.ts";

/** Outbox rows that are counted in each database. */
const MAX_ROWS = 1_000;
/** How long an answer is used again, in milliseconds: the endpoint needs no credential, and each answer reads every database. */
const REUSE_MS = 5_000;

const answers = new WeakMap<object, { at: number; answer: Promise<Readiness> }>();

/** Returns whether the service is ready. The databases are read at most once in REUSE_MS. Never throws. */
export function readReadiness(ctx: Ctx): Promise<Readiness> {
  const known = answers.get(ctx.env);
  if (known && ctx.now() - known.at < REUSE_MS) return known.answer;
  const answer = read(ctx);
  answers.set(ctx.env, { at: ctx.now(), answer });
  return answer;
}

async function read(ctx: Ctx): Promise<Readiness> {
  const settingFaults = findSettingFaults(ctx.env);
  const outboxes = await readOutboxes(ctx, MAX_ROWS);
  return decideReadiness({ settingFaults, egress: egressState(ctx), outboxes }, ctx.now());
}

function egressState(ctx: Ctx): string {
  try {
    const egress = egressOf(ctx.settings);
    return "fault" in egress ? egress.fault : "configured";
  } catch {
    return "unknown";
  }
}
