import type { Ctx, MainStatement } from "../../platform/context.ts";
import { countSql, mostSql } from "../../platform/db/has-room.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../platform/db/random-id.ts";
import type { notifications } from "../../platform/db/schema/main/index.ts";
import { BODY_CHARACTERS, type Channel, DEFAULT_PREFERENCES, TITLE_CHARACTERS } from "./rules.ts";

type Row = typeof notifications.$inferSelect;

/** The content of a notification. `href` is a path of the dashboard below `/app`. */
export interface Notice extends Pick<Row, "category" | "severity" | "title" | "body" | "href"> {
  /** Names the event, of which a workspace is notified once. Alerts that are combined per object and day use `dailyKey`. */
  key?: string;
  /** The service sends the owners another email about this event, so the channel `email` is not used. */
  hasOwnEmail?: true;
}

/** The `ref` of an outbox row of kind `notify` in the main database: one event that leaves by one channel. */
export interface NoticeRef extends Omit<Notice, "key" | "hasOwnEmail"> {
  channel: Exclude<Channel, "web">;
  workspace: number;
  /** Id of the event. */
  event: string;
}

// An event that notifies no one is still done, so nothing is refused.
const HAS_ROOM = `${countSql("notifications", "?1")} < ${mostSql("notifications", "?1")}`;

const INSERT_EVENT = `
  INSERT INTO notified_events (workspace, key, id) SELECT number, ?2, ?3 FROM workspaces WHERE number = ?1 AND ${HAS_ROOM}
  ON CONFLICT DO NOTHING`;

/** Owners `m` of the workspace ?1 who want the category by a channel, which has this default. */
const ownersBy = (category: string, channel: string, fallback: string) => `
  FROM memberships m LEFT JOIN notification_preferences p ON p.user_id = m.user_id
   WHERE m.workspace = ?1 AND m.role = 'owner' AND ${HAS_ROOM}
     AND ifnull(p.preferences ->> ('$.' || ${category} || '.' || ${channel}), ${fallback})`;

// An event without a key is always new.
const isNew = (key: string, id: string) =>
  `(${key} IS NULL OR EXISTS (SELECT 1 FROM notified_events WHERE workspace = ?1 AND key = ${key} AND id = ${id}))`;

const INSERT_NOTIFICATIONS = `
  INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
  SELECT ?2 || ${ID_SUFFIX_SQL}, m.workspace, m.user_id, ?3, ?4, ?5, ?6, ?7, ?8
  ${ownersBy("?3", "'web'", "?9")} AND ${isNew("?10", "?11")}`;

const INSERT_OUTBOX_ROWS = `
  INSERT INTO outbox (due_at, id, kind, ref, workspace)
  SELECT ?2, j.value->>'id', 'notify', j.value->>'ref', ?1 FROM json_each(?3) j
   WHERE EXISTS (SELECT 1 ${ownersBy("?4", "(j.value->>'channel')", "j.value->>'isDefault'")}) AND ${isNew("?5", "?6")}
     AND (j.value->>'channel' <> 'slack'
          OR EXISTS (SELECT 1 FROM workspaces WHERE number = ?1 AND slack_webhook_url IS NOT NULL))`;

/**
 * Returns the statements that notify the owners of a workspace by the channels of their preferences: rows of the
 * notification list, and outbox rows for email and Slack. They belong in the batch of the change, in this order.
 */
export function notifyOwnersStatements(
  ctx: Pick<Ctx, "db" | "now" | "newId">,
  workspace: number,
  notice: Notice,
): MainStatement[] {
  const { db } = ctx;
  const { category, severity, href, key = null } = notice;
  const event = ctx.newId();
  const title = shorten(notice.title, TITLE_CHARACTERS);
  const body = shorten(notice.body, BODY_CHARACTERS);
  const defaults = DEFAULT_PREFERENCES[category];
  const rows = toOutboxRows(ctx, workspace, event, { ...notice, title, body });
  return [
    ...(key === null ? [] : [db.prepare(INSERT_EVENT).bind(workspace, key, event)]),
    db
      .prepare(INSERT_NOTIFICATIONS)
      .bind(
        ...[workspace, idPrefix(ctx), category, severity, title, body, href, ctx.now()],
        ...[Number(defaults.web), key, event],
      ),
    db.prepare(INSERT_OUTBOX_ROWS).bind(workspace, ctx.now(), JSON.stringify(rows), category, key, event),
  ];
}

/**
 * Notifies the owners of a workspace of an event in a mail database or a Durable Object, whose change cannot be in one
 * batch with the notification. Give the notice a key, and call this before the change: a repeated call does nothing.
 */
export async function notifyOwners(ctx: Ctx, workspace: number, notice: Notice & { key: string }): Promise<void> {
  await ctx.db.batch(notifyOwnersStatements(ctx, workspace, notice));
}

/**
 * Returns the outbox rows of an event by the channels that leave the service, as the statement that inserts them reads them. `isDefault`:
 * 1 when an owner without a preference gets it.
 */
export function toOutboxRows(
  ctx: Pick<Ctx, "newId">,
  workspace: number,
  event: string,
  { category, severity, title, body, href, hasOwnEmail }: Notice,
) {
  const outside = (["email", "slack"] as const).filter((channel) => channel === "slack" || !hasOwnEmail);
  return outside.map((channel) => {
    const ref: NoticeRef = { channel, workspace, event, category, severity, title, body, href };
    const isDefault = Number(DEFAULT_PREFERENCES[category][channel]);
    return { id: ctx.newId(), channel, isDefault, ref: JSON.stringify(ref) };
  });
}

function shorten(text: string, characters: number): string {
  const all = Array.from(text);
  return all.length <= characters ? text : `${all.slice(0, characters - 1).join("")}…`;
}
