import type { CallerCtx } from "../../access/caller.ts";
import { invalidField, unprocessable, type ValidationError } from "../../lib/errors.ts";
import { MOST_COUNTED } from "../../platform/budgets/budget.ts";
import { listTopics } from "../../sending/topics/index.ts";
import { type Condition, conditionLimits, placesOf, type References, referencesOf } from "../conditions/index.ts";
import { findSegmentLinks } from "./queries.ts";
import { nestingIssue } from "./rules.ts";

const FIND_KNOWN = `
  SELECT id FROM contact_lists WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT id FROM broadcasts WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?3))`;

/** Fields of conditions with an id, and what it is the id of. */
const FIELDS = { list: "contact list", topic: "topic", broadcast_id: "broadcast", segment: "segment" } as const;

/**
 * Throws 422 for conditions of a segment that ask about an event, name what does not exist in the workspace, each at its place, or nest
 * segments too deep. `id` is that of the segment, undefined for a new one. Returns what the conditions name.
 */
export async function checkConditions(ctx: CallerCtx, conditions: Condition, id?: string): Promise<References> {
  const references = referencesOf(conditions);
  if (references.event) throw invalidField("conditions", "event needs an event, which a segment does not have");
  const links = references.segments.length === 0 ? [] : await findSegmentLinks(ctx);
  const known = new Set([...(await findKnown(ctx, references)), ...links.map((segment) => segment.id)]);
  const errors = placesOf(conditions).flatMap(({ condition, path }) =>
    Object.entries(FIELDS).flatMap(([field, kind]): ValidationError[] => {
      const named = (condition as unknown as Record<string, unknown>)[field];
      if (typeof named !== "string" || known.has(named)) return [];
      const loc = ["body", "conditions", ...path, field];
      return [{ loc, msg: `The ${kind} does not exist`, type: "value_error" }];
    }),
  );
  if (errors.length > 0) throw unprocessable(errors);
  const inner = new Map(links.map((segment): [string, readonly string[]] => [segment.id, segment.segments]));
  const issue = nestingIssue(inner.set(id ?? "new", references.segments), conditionLimits.segmentDepth);
  if (issue) throw invalidField("conditions", issue);
  return references;
}

/** Returns which of the lists, broadcasts and topics that conditions name exist in the workspace. */
async function findKnown(ctx: CallerCtx, { lists, topics, broadcasts }: References): Promise<string[]> {
  const known: { id: string }[] = [];
  if (lists.length + broadcasts.length > 0) {
    const values = [ctx.workspace.number, JSON.stringify(lists), JSON.stringify(broadcasts)];
    known.push(...(await ctx.mail.listRows<{ id: string }>(FIND_KNOWN, ...values)));
  }
  if (topics.length > 0) known.push(...(await listTopics(ctx, { limit: MOST_COUNTED })));
  return known.map(({ id }) => id);
}
