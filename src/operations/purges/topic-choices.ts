import type { Ctx } from "../../platform/context.ts";

/** Choices that one step deletes: few enough for a transaction of milliseconds. */
const CHOICES_PER_STEP = 5_000;

const DELETE = `
  DELETE FROM topic_choices WHERE (workspace, email, topic) IN (
    SELECT workspace, email, topic FROM topic_choices WHERE topic = ?1 LIMIT ?2)`;

/** Deletes up to 5,000 choices about a deleted topic. Returns true when none is left. */
export async function deleteTopicChoices(ctx: Ctx, topic: number): Promise<boolean> {
  const { meta } = await ctx.db.prepare(DELETE).bind(topic, CHOICES_PER_STEP).run();
  return meta.changes < CHOICES_PER_STEP;
}
