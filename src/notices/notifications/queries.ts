import { and, desc, eq, isNull } from "drizzle-orm";
import type { CallerCtx } from "../../access/caller.ts";
import { orm } from "../../platform/db/client.ts";
import { notifications } from "../../platform/db/schema/main/index.ts";
import { type Category, categories } from "./rules.ts";

export type NotificationRow = typeof notifications.$inferSelect;

/** One page, and the counts of the list (docs/contract/notifications.md#list-of-notifications). */
export interface NotificationPage {
  rows: NotificationRow[];
  /** Rows that match the filters, whatever the page. */
  total: number;
  /** All unread ones of the user in this workspace, whatever the filters. */
  unread: number;
  /** All of the user in this workspace by category, whatever the filters. */
  categoryCounts: Record<Category, number>;
}

const COUNT = `
  SELECT category, count(*) AS total, sum(read_at IS NULL) AS unread FROM notifications
   WHERE workspace = ?1 AND user_id = ?2 GROUP BY category`;

type CountRow = { category: Category; total: number; unread: number };

/** Returns notifications of the calling user in the active workspace, newest first, with their counts. */
export async function listNotifications(
  ctx: CallerCtx,
  filter: { unread: boolean; category: string | undefined; limit: number; offset: number },
): Promise<NotificationPage> {
  const { workspace, actor } = ctx;
  const counting = ctx.db.prepare(COUNT).bind(workspace.number, actor.userId).all<CountRow>();
  const category = categories.find((name) => name === filter.category);
  const isUnknown = filter.category !== undefined && category === undefined;
  const own = and(eq(notifications.workspace, workspace.number), eq(notifications.userId, actor.userId));
  const ofCategory = category && eq(notifications.category, category);
  const unread = filter.unread ? isNull(notifications.readAt) : undefined;
  const listing = isUnknown
    ? []
    : orm(ctx)
        .select()
        .from(notifications)
        .where(and(own, ofCategory, unread))
        .orderBy(desc(notifications.id))
        .limit(filter.limit)
        .offset(filter.offset);
  const [{ results: counts }, rows] = await Promise.all([counting, listing]);
  const matching = counts.filter(({ category: name }) => filter.category === undefined || name === filter.category);
  const sum = (of: readonly CountRow[], column: "total" | "unread") => of.reduce((all, row) => all + row[column], 0);
  const countOf = (name: Category) => counts.find((row) => row.category === name)?.total ?? 0;
  return {
    rows,
    total: sum(matching, filter.unread ? "unread" : "total"),
    unread: sum(counts, "unread"),
    categoryCounts: { alerts: countOf("alerts"), sends: countOf("sends"), team: countOf("team") },
  };
}
