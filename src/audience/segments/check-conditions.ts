import type { CallerCtx } from "../../access/caller.ts";
import { invalidField } from "../../lib/errors.ts";
import { mailDb } from "../../platform/db/client.ts";
import { listTopics, topicLimits } from "../../sending/topics/index.ts";
import { type Condition, conditionLimits, type References, referencesOf } from "../conditions/index.ts";
import { findSegmentLinks, onSegments } from "./queries.ts";
import { nestingIssue } from "./rules.ts";

const FIND_KNOWN = `
  SELECT id FROM contact_lists WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT id FROM broadcasts WHERE workspace = ?1 AND id IN (SELECT value FROM json_each(?3))`;

/**
 * Throws 422 for conditions of a segment that ask about an event, name what does not exist in the workspace, or nest segments too deep.
 * `id` is that of the segment, undefined for a new one. Returns what the conditions name.
 */
export async function checkConditions(ctx: CallerCtx, conditions: Condition, id?: string): Promise<References> {
  const references = referencesOf(conditions);
  if (references.event) throw invalidField("conditions", "event needs an event, which a segment does not have");
  const missing = await findMissing(ctx, references);
  if (missing.length > 0)
    throw invalidField("conditions", `conditions name what does not exist: ${missing.join(", ")}`);
  return references.segments.length === 0 ? references : checkNesting(ctx, references, id);
}

async function findMissing(ctx: CallerCtx, { lists, topics, broadcasts }: References): Promise<string[]> {
  const known = new Set<string>();
  if (lists.length + broadcasts.length > 0) {
    const { results } = await mailDb(onSegments(ctx))
      .prepare(FIND_KNOWN)
      .bind(ctx.workspace.number, JSON.stringify(lists), JSON.stringify(broadcasts))
      .all<{ id: string }>();
    for (const { id } of results) known.add(id);
  }
  if (topics.length > 0)
    for (const { id } of await listTopics(ctx, { limit: topicLimits.topicsPerWorkspace })) known.add(id);
  const named = [
    ...lists.map((id) => ({ kind: "list", id })),
    ...topics.map((id) => ({ kind: "topic", id })),
    ...broadcasts.map((id) => ({ kind: "broadcast", id })),
  ];
  return named.filter(({ id }) => !known.has(id)).map(({ kind, id }) => `${kind} ${id}`);
}

async function checkNesting(ctx: CallerCtx, references: References, id = "new"): Promise<References> {
  const links = new Map((await findSegmentLinks(ctx)).map((segment) => [segment.id, segment.segments]));
  const missing = references.segments.filter((inner) => !links.has(inner));
  if (missing.length > 0)
    throw invalidField(
      "conditions",
      `conditions name what does not exist: ${missing.map((one) => `segment ${one}`).join(", ")}`,
    );
  links.set(id, references.segments);
  const issue = nestingIssue(links, conditionLimits.segmentDepth);
  if (issue) throw invalidField("conditions", issue);
  return references;
}
