import { checkRates } from "../../../src/sending/rates/index.ts";
import { runToEnd } from "../../support/retention.ts";
import { recordingContext, type TestWorkspace } from "../../support/workspace.ts";
import { aRollup, HOUR_MS } from "../analytics/support.ts";

export const MINUTE_MS = 60_000;

/** Compares the rates of all workspaces of the mail database with their limits, as cron does. */
export const checkAt = (now: number, settings: Record<string, unknown> = {}): Promise<void> =>
  runToEnd(checkRates(recordingContext(settings, () => now).ctx));

/** Adds counts of recipients at a time, as outcomes of emails do. */
export const count = (workspace: TestWorkspace, at: number, counts: Record<string, number>): Promise<void> =>
  aRollup(workspace, Math.floor(at / HOUR_MS), "a.example", counts);
