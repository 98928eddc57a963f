import type { CallerCtx } from "../../access/caller.ts";
import type { Ctx, MailCtx } from "../../platform/context.ts";
import { formsOf } from "../../platform/erased-addresses/forms.ts";
import type { SuppressionEntry } from "../../sending/suppressions/index.ts";
import type { Evidence } from "../consent/index.ts";
import type { PersonEventRow } from "../events/index.ts";

/** Returns a function that reads a page of the rows of a person, who is named by canonical address, after a position. */
const pagesOf =
  <Row, Position>(sql: string) =>
  async (
    ctx: MailCtx,
    { workspace, email }: { workspace: number; email: string },
    { after, limit }: { after: Position; limit: number },
  ): Promise<Row[]> =>
    await ctx.mail.listRows<Row>(sql, workspace, email, after, limit);

/** A contact of a person, with its list. Times in milliseconds since 1970. */
export interface ContactOfPerson {
  /** contact_lists.n */
  list: number;
  listId: string;
  listName: string;
  id: string;
  email: string;
  name: string | null;
  /** JSON text. */
  metadata: string | null;
  createdAt: number;
  pendingSince: number | null;
}

// By the index contacts_by_email. A contact of a missing list is deleted soon.
const CONTACTS = `
  SELECT c.list, l.id AS listId, l.name AS listName, c.id, c.email, c.name, c.metadata, c.created_at AS createdAt,
         c.pending_since AS pendingSince
    FROM contacts c CROSS JOIN contact_lists l ON l.n = c.list
   WHERE c.workspace = ?1 AND c.email_key = ?2 AND c.list > ?3 ORDER BY c.list LIMIT ?4`;

/** Returns the contacts of a person in lists after one, by contact_lists.n. */
export const findContactsOf = pagesOf<ContactOfPerson, number>(CONTACTS);

/** One piece of evidence of consent. `words`: JSON text of the words that it refers to. */
export type ConsentOfPerson = Omit<Evidence, "emailKey" | "userId">;

const CONSENTS = `
  SELECT e.id, e.kind, e.at, e.list_id AS listId, e.list_name AS listName, e.ip, e.user_agent AS userAgent, w.words, e.source
    FROM consents e LEFT JOIN consent_words w ON w.workspace = ?1 AND w.version = e.words
   WHERE e.workspace = ?1 AND e.email_key = ?2 AND e.id > ?3 ORDER BY e.id LIMIT ?4`;

/** Returns the evidence about a person after an id. */
export const findConsentsOf = pagesOf<ConsentOfPerson, string>(CONSENTS);

/** An event of a person. */
export type EventOfPerson = PersonEventRow & { n: number };

const EVENTS = `
  SELECT n, id, name, data, occurred_at AS occurredAt, created_at AS createdAt FROM events
   WHERE workspace = ?1 AND email_key = ?2 AND n > ?3 ORDER BY n LIMIT ?4`;

/** Returns the events of a person after one, by events.n. */
export const findEventsOf = pagesOf<EventOfPerson, number>(EVENTS);

/** A run of a person through an automation. Times in milliseconds since 1970. */
export interface RunOfPerson {
  n: number;
  id: string;
  automation: string;
  status: string;
  data: string;
  /** JSON objects, each with a comma behind it. */
  history: string;
  startedAt: number;
}

const RUNS = `
  SELECT r.n, r.id, a.name AS automation, r.status, r.data, r.history, r.started_at AS startedAt
    FROM automation_runs r CROSS JOIN automations a ON a.n = r.automation
   WHERE r.workspace = ?1 AND r.email_key = ?2 AND r.n > ?3 ORDER BY r.n LIMIT ?4`;

/** Returns the runs of a person after one, by automation_runs.n. */
export const findRunsOf = pagesOf<RunOfPerson, number>(RUNS);

/** The entries of an address on the suppression list and about its soft bounces. */
export interface RestrictionsOfPerson {
  suppression: { reason: SuppressionEntry["reason"]; createdAt: number; unsubscribedAt: number | null } | null;
  softBounces: { emailIds: string; firstAt: number; lastAt: number; listedAt: number | null } | null;
}

const SUPPRESSION =
  "SELECT reason, created_at AS createdAt, unsubscribed_at AS unsubscribedAt FROM suppressions WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) ORDER BY email DESC LIMIT 1";
const SOFT_BOUNCES =
  "SELECT email_ids AS emailIds, first_at AS firstAt, last_at AS lastAt, listed_at AS listedAt FROM soft_bounces WHERE workspace = ?1 AND email IN (SELECT value FROM json_each(?2)) ORDER BY email DESC LIMIT 1";

/** Returns what stops mail to an address, in one D1 call. */
export async function findRestrictionsOf(ctx: Ctx, workspace: number, email: string): Promise<RestrictionsOfPerson> {
  const forms = JSON.stringify(formsOf(email));
  const [suppression, softBounces] = await ctx.db.batch(
    [SUPPRESSION, SOFT_BOUNCES].map((sql) => ctx.db.prepare(sql).bind(workspace, forms)),
  );
  return {
    suppression: (suppression?.results[0] ?? null) as RestrictionsOfPerson["suppression"],
    softBounces: (softBounces?.results[0] ?? null) as RestrictionsOfPerson["softBounces"],
  };
}

/** When a person last received, opened and clicked an email, while the workspace kept activity. Times in milliseconds since 1970. */
export interface ActivityOfPerson {
  receivedAt: number | null;
  openedAt: number | null;
  clickedAt: number | null;
}

const ACTIVITY = `
  SELECT received_at AS receivedAt, opened_at AS openedAt, clicked_at AS clickedAt FROM person_activity
   WHERE workspace = ?1 AND email_key = ?2`;

/** Returns the activity of a person; null when none is kept. */
export function findActivityOf(ctx: CallerCtx, email: string): Promise<ActivityOfPerson | null> {
  return ctx.mail.findRow<ActivityOfPerson>(ACTIVITY, ctx.workspace.number, email);
}
