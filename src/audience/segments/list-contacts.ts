import type { CallerCtx, ListRange } from "../../access/caller.ts";
import { evaluatePage, toEvaluator } from "./evaluate-page.ts";
import { getSegment } from "./queries.ts";
import { limits } from "./rules.ts";
import { type SegmentContactOut, toSegmentContact } from "./schema.ts";

/**
 * Returns people of a segment in the order of their addresses, one contact each. Evaluates at most 5,000 people, so that a page may be
 * short, or empty, and others follow. `next`: the address to continue after; null at the end. Throws 404.
 */
export async function listSegmentContacts(
  ctx: CallerCtx,
  id: string,
  { after = "", limit }: ListRange,
): Promise<{ contacts: SegmentContactOut[]; next: string | null }> {
  const segment = await getSegment(ctx, id);
  const evaluator = await toEvaluator(ctx, segment.workspace, segment.conditions, ctx.now());
  const contacts: SegmentContactOut[] = [];
  let cursor = after;
  for (let evaluated = 0; evaluated < limits.peoplePerCall; ) {
    const page = await evaluatePage(ctx, ctx.workspace.number, evaluator, {
      after: cursor,
      limit: limits.peoplePerPage,
    });
    const wanted = page.matching.slice(0, limit - contacts.length);
    contacts.push(...wanted.flatMap(toSegmentContact));
    if (wanted.length < page.matching.length) return { contacts, next: wanted.at(-1)?.key ?? cursor };
    if (page.last === null) return { contacts, next: null };
    if (contacts.length === limit) return { contacts, next: page.last };
    cursor = page.last;
    evaluated += page.evaluated;
  }
  return { contacts, next: cursor };
}
