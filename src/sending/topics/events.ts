import type { Ctx, MainStatement, WakeUp, WorkspaceCtx } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { wakeAfterResponse } from "../../platform/outbox/wake-after-response.ts";
import { eventsRefSql } from "../../platform/person-events/main-events.ts";
import type { Chooser, NewChoice } from "./rules.ts";

type Person = Omit<Chooser, "method">;

/** A statement that records events, and the outbox row that it adds. */
export interface TopicEvents {
  statement: MainStatement;
  wakeUp: WakeUp;
}

const CHOSEN = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?4, ?5, 'events', ${eventsRefSql("w.number", "?2", "?4", "json_group_array(json(c.event))")}
    FROM workspaces w CROSS JOIN (
      SELECT json_object('id', j.value->>'event', 'name', 'topic.' || coalesce(j.value->>'choice', t.default_choice),
                         'data', json_object('topic_id', t.id)) AS event
        FROM json_each(?3) j CROSS JOIN topics t ON t.workspace = ?1 AND t.id = j.value->>'id'
       WHERE coalesce(j.value->>'choice', t.default_choice) <> coalesce(
         (SELECT x.choice FROM json_each(?6) f CROSS JOIN topic_choices x ON x.workspace = ?1 AND x.email = f.value AND x.topic = t.n
           ORDER BY f.key LIMIT 1), t.default_choice)) c
   WHERE w.number = ?1 GROUP BY w.number`;

/**
 * Returns the statement that records how choices change the topics of a person, for the place before the statements that write them. It
 * adds nothing when every topic stays as it is.
 */
export function topicEvents(ctx: Ctx, { workspace, email }: Person, chosen: readonly NewChoice[]): TopicEvents {
  const [id, now] = [ctx.newId(), ctx.now()];
  const withIds = JSON.stringify(chosen.map((one) => ({ ...one, event: ctx.newId() })));
  const forms = JSON.stringify(formsOf(email));
  return {
    statement: ctx.db.prepare(CHOSEN).bind(workspace, email, withIds, now, id, forms),
    wakeUp: { dueAt: now, id, kind: "events" },
  };
}

const ALL = `
  INSERT INTO outbox (due_at, id, kind, ref)
  SELECT ?4, ?5, 'events', ${eventsRefSql("w.number", "?2", "?4", "json_array(json(?3))")} FROM workspaces w
   WHERE w.number = ?1 AND ?7 = EXISTS (
     SELECT 1 FROM suppressions s WHERE s.workspace = ?1 AND s.email IN (SELECT value FROM json_each(?6))
        AND (s.reason = 'unsubscribe' OR s.unsubscribed_at IS NOT NULL))`;

/** Returns the same for a person who leaves all bulk mail, or ends that: the event names no topic. */
export function allTopicsEvents(
  ctx: Ctx,
  { workspace, email }: Person,
  choice: NonNullable<NewChoice["choice"]>,
): TopicEvents {
  const [id, now] = [ctx.newId(), ctx.now()];
  const event = JSON.stringify({ id: ctx.newId(), name: `topic.${choice}`, data: { topic_id: null } });
  const forms = JSON.stringify(formsOf(email));
  const wasLeft = choice === "subscribed" ? 1 : 0;
  return {
    statement: ctx.db.prepare(ALL).bind(workspace, email, event, now, id, forms, wasLeft),
    wakeUp: { dueAt: now, id, kind: "events" },
  };
}

/** Sends the queue message for the outbox row of events, when their statement has added it. */
export async function wakeForTopicEvents(
  ctx: Ctx & Pick<WorkspaceCtx, "waitUntil">,
  { wakeUp }: TopicEvents,
  result: D1Result | undefined,
): Promise<void> {
  if ((result?.meta.changes ?? 0) === 0) return;
  await wakeAfterResponse({ ...onMain(ctx), waitUntil: ctx.waitUntil }, [wakeUp]);
}
