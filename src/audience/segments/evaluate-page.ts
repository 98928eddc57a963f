import type { MailCtx } from "../../platform/context.ts";
import {
  type Circumstances,
  type Condition,
  evaluate,
  loadPeoplePage,
  loadSegments,
  type Person,
  type References,
  referencesOf,
} from "../conditions/index.ts";

/** Conditions with all that evaluates them. */
export interface Evaluator {
  conditions: Condition;
  references: References;
  circumstances: Circumstances;
}

/** Returns conditions with the segments inside them, as they are now. `now`: the time that they are evaluated for, in ms since 1970. */
export async function toEvaluator(
  ctx: MailCtx,
  workspace: number,
  conditions: Condition,
  now: number,
): Promise<Evaluator> {
  const segments = await loadSegments(ctx, workspace, referencesOf(conditions).segments);
  return { conditions, references: referencesOf(conditions, ...segments.values()), circumstances: { now, segments } };
}

/** The people of a page who are in a segment. */
export interface EvaluatedPage {
  matching: Person[];
  evaluated: number;
  /** Address to continue after; null at the end. */
  last: string | null;
}

/** Evaluates the next people of a workspace after an address, in one statement of each table. */
export async function evaluatePage(
  ctx: MailCtx,
  workspace: number,
  { conditions, references, circumstances }: Evaluator,
  page: { after: string; limit: number },
): Promise<EvaluatedPage> {
  const { people, last, size } = await loadPeoplePage(ctx, workspace, page, references);
  const matching = [...people.values()].filter((person) => evaluate(conditions, person, circumstances));
  return { matching, evaluated: size, last };
}
