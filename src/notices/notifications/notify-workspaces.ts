import type { Ctx } from "../../platform/context.ts";
import { ID_SUFFIX_SQL, idPrefix } from "../../platform/db/random-id.ts";
import { type Notice, toOutboxRows } from "./notify-owners.ts";
import { DEFAULT_PREFERENCES } from "./rules.ts";

const INSERT_EVENTS = `
  INSERT INTO notified_events (workspace, key, id)
  SELECT w.number, ?2, j.value->>'event' FROM json_each(?1) j CROSS JOIN workspaces w ON w.number = j.value->>'workspace'
   WHERE w.deleted_at IS NULL
  ON CONFLICT DO NOTHING`;

// Workspaces that this call is the first to notify of the event, and their owners `m`.
const NEW_EVENTS = `
  FROM json_each(?1) j CROSS JOIN notified_events e
    ON e.workspace = j.value->>'workspace' AND e.key = ?2 AND e.id = j.value->>'event'`;
const wants = (channel: string, fallback: string) =>
  `ifnull(p.preferences ->> ('$.' || ?3 || '.' || ${channel}), ${fallback})`;

const INSERT_NOTIFICATIONS = `
  INSERT INTO notifications (id, workspace, user_id, category, severity, title, body, href, created_at)
  SELECT ?4 || ${ID_SUFFIX_SQL}, m.workspace, m.user_id, ?3, ?5, ?6, ?7, ?8, ?9
  ${NEW_EVENTS} CROSS JOIN memberships m ON m.workspace = e.workspace AND m.role = 'owner'
    LEFT JOIN notification_preferences p ON p.user_id = m.user_id
   WHERE ${wants("'web'", "?10")}`;

const INSERT_OUTBOX_ROWS = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?4, t.value->>'id', 'notify', t.value->>'ref'
  ${NEW_EVENTS} CROSS JOIN json_each(j.value->'rows') t
   WHERE EXISTS (
     SELECT 1 FROM memberships m LEFT JOIN notification_preferences p ON p.user_id = m.user_id
      WHERE m.workspace = e.workspace AND m.role = 'owner' AND ${wants("(t.value->>'channel')", "t.value->>'isDefault'")})
     AND (t.value->>'channel' <> 'slack'
          OR EXISTS (SELECT 1 FROM workspaces w WHERE w.number = e.workspace AND w.slack_webhook_url IS NOT NULL))`;

/**
 * Notifies the owners of some workspaces of one event, each workspace once however often this is called with the key. In three
 * statements for all of them: give it at most 200 workspaces, and a short body, since one parameter holds all their outbox rows.
 */
export async function notifyWorkspaces(
  ctx: Pick<Ctx, "db" | "now" | "newId">,
  workspaces: readonly number[],
  notice: Notice & { key: string },
): Promise<void> {
  const { category, severity, title, body, href, key } = notice;
  const events = workspaces.map((workspace) => {
    const event = ctx.newId();
    return { workspace, event, rows: toOutboxRows(ctx, workspace, event, notice) };
  });
  const all = JSON.stringify(events);
  const now = ctx.now();
  const web = Number(DEFAULT_PREFERENCES[category].web);
  await ctx.db.batch([
    ctx.db.prepare(INSERT_EVENTS).bind(all, key),
    ctx.db.prepare(INSERT_NOTIFICATIONS).bind(all, key, category, idPrefix(ctx), severity, title, body, href, now, web),
    ctx.db.prepare(INSERT_OUTBOX_ROWS).bind(all, key, category, now),
  ]);
}
