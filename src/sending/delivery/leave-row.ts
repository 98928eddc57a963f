import type { Ticket } from "../../mail/egress-tickets/ticket.ts";
import type { MailCtx, MailStatement } from "../../platform/context.ts";
import type { EmailState } from "../emails/index.ts";

/** An email that leaves the row under whose lease it was held, in its new state. */
export interface Leaving {
  ticket: Pick<Ticket, "until" | "row" | "token" | "email" | "isRepeated">;
  state: EmailState;
}

/** Joins the outbox `o` with tickets, whose lease is still held, in a JSON array `j`. */
export const TICKET_ROW = "o.due_at = j.value->>'until' AND o.id = j.value->>'row' AND o.token = j.value->>'token'";

const INSERT_NEXT = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, claims, broadcast)
  SELECT j.value->>'dueAt', j.value->>'id', o.kind, json_array(j.value->'n'), j.value->>'claims', o.broadcast
    FROM json_each(?1) j CROSS JOIN outbox o ON ${TICKET_ROW}
   WHERE EXISTS (SELECT 1 FROM json_each(o.ref) r WHERE r.value = j.value->>'n')`;

const IS_LEFT = "r.value NOT IN (SELECT value FROM json_each(j.value->'numbers'))";

const DELETE_EMPTY = `
  DELETE FROM outbox WHERE (due_at, id) IN (
    SELECT o.due_at, o.id FROM json_each(?1) j CROSS JOIN outbox o ON ${TICKET_ROW}
     WHERE NOT EXISTS (SELECT 1 FROM json_each(o.ref) r WHERE ${IS_LEFT}))`;

const SHRINK = `
  UPDATE outbox AS o SET ref = (SELECT json_group_array(r.value) FROM json_each(o.ref) r WHERE ${IS_LEFT})
  FROM json_each(?1) j WHERE ${TICKET_ROW}`;

/**
 * Returns the statement that inserts the rows of the next attempts of emails, each only while the lease on its row is held and
 * before it leaves that: a repeated report inserts no second one.
 */
export function insertNextStatement(ctx: MailCtx, leaving: readonly Leaving[]): MailStatement {
  const rows = leaving.map(({ ticket: { until, row, token, isRepeated }, state: { id, n, dueAt } }) => {
    return { until, row, token, id, n, dueAt, claims: isRepeated ? 1 : 0 };
  });
  return ctx.mail.prepare(INSERT_NEXT).bind(JSON.stringify(rows));
}

/** Returns the statements that remove emails from their rows: one write for each row, however many of its emails leave. */
export function leaveStatements(ctx: MailCtx, leaving: readonly Leaving[]): MailStatement[] {
  const groups = [...Map.groupBy(leaving, ({ ticket: { row, token } }) => `${row} ${token}`).values()];
  const rows = groups.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const { until, row, token } = first.ticket;
    return [{ until, row, token, numbers: group.map(({ state }) => state.n) }];
  });
  const values = JSON.stringify(rows);
  const hasShared = leaving.some(({ ticket }) => ticket.row !== ticket.email);
  const shrink = hasShared ? [ctx.mail.prepare(SHRINK).bind(values)] : [];
  return [ctx.mail.prepare(DELETE_EMPTY).bind(values), ...shrink];
}
