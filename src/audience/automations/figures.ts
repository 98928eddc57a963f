import type { CallerCtx } from "../../access/caller.ts";
import { compareSteps, findStepCounts, type StepCounts } from "../broadcasts/index.ts";
import type { AutomationRow } from "./queries.ts";
import { emailRowId, findVersions } from "./versions.ts";

/** The people at a step of the version that people enter, and its emails. */
export interface StepFigures {
  /** Runs that are there. */
  here: number;
  /** Those of them that `step_counters` has counted already: a step that is due is counted when it is done. */
  waiting: number;
  /** By number of the version, newest first: at most three, of those with emails. */
  emails: (StepCounts & { version: number })[];
  /** Of the click rates of the newest two versions. */
  comparison: ReturnType<typeof compareSteps>;
}

export interface FlowFigures {
  /** By path of the step. */
  steps: ReadonlyMap<string, StepFigures>;
  /** Runs of other versions. */
  inOthers: number;
  /** True when more runs are inside than were counted. */
  isCapped: boolean;
}

/** Runs that are read. */
const MAX_RUNS = 5_000;

const COUNT_RUNS = `
  SELECT version, node, count(*) AS here, count(wait_until) AS waiting FROM (
    SELECT version, node, wait_until FROM automation_runs WHERE automation = ?1 AND status = 'active' ORDER BY n DESC LIMIT ${MAX_RUNS})
   GROUP BY version, node`;

type CountRow = { version: number; node: number | null; here: number; waiting: number };

/** Returns the people at each step, of the newest 5,000 inside, and the results of the newest versions' emails. One round trip. */
export async function readFlowFigures(ctx: CallerCtx, row: AutomationRow): Promise<FlowFigures> {
  const [runs, counts, versions] = await Promise.all([
    ctx.mail.listRows<CountRow>(COUNT_RUNS, row.n),
    findStepCounts(ctx, row.workspace, row.n),
    findVersions(ctx, row.version === null ? [] : [row.version]),
  ]);
  const version = versions.get(row.version ?? 0);
  const atNode = new Map(runs.filter((run) => run.version === row.version).map((run) => [run.node, run]));
  const countsOf = new Map(counts.map((one) => [one.id, one]));
  const steps = (version?.nodes ?? []).map(async ({ path }, node): Promise<[string, StepFigures]> => {
    const { here = 0, waiting = 0 } = atNode.get(node) ?? {};
    const emails = version?.emails.has(path) ? await emailsAt(row, path, countsOf) : [];
    const [newer, older] = emails;
    return [path, { here, waiting, emails, comparison: newer && older ? compareSteps(newer, older) : null }];
  });
  const sum = (all: readonly CountRow[]) => all.reduce((total, { here }) => total + here, 0);
  return {
    steps: new Map(await Promise.all(steps)),
    inOthers: sum(runs.filter((run) => run.version !== row.version)),
    isCapped: sum(runs) === MAX_RUNS,
  };
}

async function emailsAt({ id, versionNumber }: AutomationRow, path: string, counts: ReadonlyMap<string, StepCounts>) {
  const found = [0, 1, 2].map(async (back) => {
    const version = versionNumber - back;
    const own = counts.get(await emailRowId(id, version, path));
    return own && own.queued > 0 ? [{ ...own, version }] : [];
  });
  return (await Promise.all(found)).flat();
}
