import type { CallerCtx } from "../../access/caller.ts";
import { compareSteps, findStepCounts, type StepCounts } from "../broadcasts/index.ts";
import { type Definition, placedSteps } from "./definition.ts";
import type { AutomationRow } from "./queries.ts";
import { emailRowId, findVersions } from "./versions.ts";

/** The emails of a step that people got who entered one version. */
interface EmailFigures {
  /** Number of the version. */
  version: number;
  counts: StepCounts;
}

/** The people at a step of the version that people enter, and its emails. */
export interface StepFigures {
  /** Runs that are there. */
  here: number;
  /** Those of them that `step_counters` has counted already: a step that is due is counted when it is done. */
  waiting: number;
  /** Newest version first: at most three, of those with emails. */
  emails: EmailFigures[];
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
const MAX_VERSIONS = 3;

const COUNT_RUNS = `
  SELECT version, node, count(*) AS here, count(wait_until) AS waiting FROM (
    SELECT version, node, wait_until FROM automation_runs WHERE automation = ?1 AND status = 'active' ORDER BY n DESC LIMIT ${MAX_RUNS})
   GROUP BY version, node`;

interface CountRow {
  version: number;
  node: number | null;
  here: number;
  waiting: number;
}

/**
 * Returns how many people are at each step, among the newest 5,000 that are inside, and what became of the emails of the newest versions.
 * One round trip to the mail database.
 */
export async function readFlowFigures(ctx: CallerCtx, row: AutomationRow): Promise<FlowFigures> {
  const [{ results: runs }, counts, versions] = await Promise.all([
    ctx.mail.prepare(COUNT_RUNS).bind(row.n).all<CountRow>(),
    findStepCounts(ctx, row.workspace, row.n),
    findVersions(ctx, row.version === null ? [] : [row.version]),
  ]);
  const version = versions.get(row.version ?? 0);
  const atNode = new Map(runs.filter((run) => run.version === row.version).map((run) => [run.node, run]));
  const emails = await emailsByPath(row, new Map(counts.map((one) => [one.id, one])));
  const steps = (version?.nodes ?? []).map(({ path }, node): [string, StepFigures] => {
    const { here = 0, waiting = 0 } = atNode.get(node) ?? {};
    const own = emails.get(path) ?? [];
    const [newer, older] = own.map((one) => one.counts);
    return [path, { here, waiting, emails: own, comparison: newer && older ? compareSteps(newer, older) : null }];
  });
  const sum = (all: readonly CountRow[]) => all.reduce((total, { here }) => total + here, 0);
  return {
    steps: new Map(steps),
    inOthers: sum(runs.filter((run) => run.version !== row.version)),
    isCapped: sum(runs) === MAX_RUNS,
  };
}

async function emailsByPath(
  { id, versionNumber, definition }: AutomationRow,
  counts: ReadonlyMap<string, StepCounts>,
): Promise<ReadonlyMap<string, EmailFigures[]>> {
  const { steps } = JSON.parse(definition) as Definition;
  const paths = placedSteps(steps).flatMap(({ path, step }) => (step.kind === "send_email" ? [path] : []));
  const numbers = Array.from({ length: Math.min(MAX_VERSIONS, versionNumber) }, (_, index) => versionNumber - index);
  const found = paths.map(async (path): Promise<[string, EmailFigures[]]> => {
    const rows = await Promise.all(
      numbers.map(async (version) => ({ version, counts: counts.get(await emailRowId(id, version, path)) })),
    );
    return [
      path,
      rows.flatMap(({ version, counts: own }) => (own && own.queued > 0 ? [{ version, counts: own }] : [])),
    ];
  });
  return new Map(await Promise.all(found));
}
