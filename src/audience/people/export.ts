import { type CallerCtx, requireScopes } from "../../access/caller.ts";
import { findEmailsTo } from "../../sending/emails/index.ts";
import { findPersonTopics, personKey } from "../../sending/topics/index.ts";
import {
  findActivityOf,
  findConsentsOf,
  findContactsOf,
  findEventsOf,
  findRestrictionsOf,
  findRunsOf,
} from "./queries.ts";
import { requireAdmin } from "./require-admin.ts";
import { limits } from "./rules.ts";
import { type PersonExportOut, toExport } from "./schema.ts";

/** Where each section of an export continues. Null: it has ended. */
export interface ExportCursor {
  /** contact_lists.n of the last contact. */
  contacts: number | null;
  /** Id of the last evidence. */
  consents: string | null;
  /** events.n of the last event. Absent: from the first on. */
  events?: number | null;
  /** automation_runs.n of the last run. Absent: from the first on. */
  runs?: number | null;
  /** Id of the last email. Absent: from the newest on. */
  emails?: string | null;
}

const START: ExportCursor = { contacts: 0, consents: "" };

/** A page of an export. `next` is null at the end. */
export interface ExportPage {
  page: PersonExportOut;
  next: ExportCursor | null;
}

/** Returns all pages of an export, one after the other. Throws as `exportPerson` does. */
export async function* exportPages(ctx: CallerCtx, email: string): AsyncGenerator<PersonExportOut> {
  for (let cursor: ExportCursor | null = START; cursor !== null; ) {
    const { page, next }: ExportPage = await exportPerson(ctx, email, { cursor, limit: limits.emails.default });
    yield page;
    cursor = next;
  }
}

/**
 * Returns a page of what the workspace stores about a person. Suppressions, topics and activity are on every page; contacts, evidence, events, runs of automations and emails
 * continue until each has ended. Throws 404 for what is no address, 403 for members and for a credential without emails:view.
 */
export async function exportPerson(
  ctx: CallerCtx,
  email: string,
  { cursor = START, limit }: { cursor?: ExportCursor | undefined; limit: number },
): Promise<ExportPage> {
  requireAdmin(ctx);
  requireScopes(ctx.actor, "emails:view");
  const person = { workspace: ctx.workspace.number, email: personKey(email) };
  const [restrictions, topics, activity, contacts, consents, events, runs, emails] = await Promise.all([
    findRestrictionsOf(ctx, person.workspace, person.email),
    findPersonTopics(ctx, person.workspace, person.email),
    findActivityOf(ctx, person.email),
    cursor.contacts === null ? [] : findContactsOf(ctx, person, { after: cursor.contacts, limit: limits.contacts + 1 }),
    cursor.consents === null ? [] : findConsentsOf(ctx, person, { after: cursor.consents, limit: limits.consents + 1 }),
    cursor.events === null ? [] : findEventsOf(ctx, person, { after: cursor.events ?? 0, limit: limits.events + 1 }),
    cursor.runs === null ? [] : findRunsOf(ctx, person, { after: cursor.runs ?? 0, limit: limits.runs + 1 }),
    cursor.emails === null
      ? { rows: [], next: null }
      : findEmailsTo(ctx, person.email, { before: cursor.emails, limit }),
  ]);
  const page = {
    contacts: contacts.slice(0, limits.contacts),
    consents: consents.slice(0, limits.consents),
    events: events.slice(0, limits.events),
    runs: runs.slice(0, limits.runs),
  };
  const next = {
    contacts: contacts.length > limits.contacts ? (page.contacts.at(-1)?.list ?? null) : null,
    consents: consents.length > limits.consents ? (page.consents.at(-1)?.id ?? null) : null,
    events: events.length > limits.events ? (page.events.at(-1)?.n ?? null) : null,
    runs: runs.length > limits.runs ? (page.runs.at(-1)?.n ?? null) : null,
    emails: emails.next,
  };
  const isEnd = Object.values(next).every((position) => position === null);
  return {
    page: toExport(person.email, { ...restrictions, topics, activity, ...page, emails: emails.rows }),
    next: isEnd ? null : next,
  };
}
