import * as z from "zod";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import { type EmailOfRecipient, EventOut, statuses, toEvent } from "../../sending/emails/index.ts";
import { type PersonTopics, PersonTopicsOut, toPersonTopics } from "../../sending/topics/index.ts";
import { parseHistory, toLines } from "../automations/index.ts";
import { ContactOut } from "../contacts/index.ts";
import { PersonEventOut, toPersonEvent } from "../events/index.ts";
import type {
  ActivityOfPerson,
  ConsentOfPerson,
  ContactOfPerson,
  EventOfPerson,
  RestrictionsOfPerson,
  RunOfPerson,
} from "./queries.ts";

const contactExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0b",
  list_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a0a",
  list_name: "Newsletter",
  email: "ada@example.org",
  name: "Ada Lovelace",
  metadata: { city: "London" },
  status: "active" as const,
  created_at: "2026-11-21T14:00:00.000Z",
};

const Contact = ContactOut.omit({ subscribed: true, suppressed: true })
  .extend({ list_id: z.uuid(), list_name: z.string() })
  .meta(named("PersonContact", contactExample));

const consentExample = {
  kind: "stated" as const,
  at: "2026-11-21T14:00:00.000Z",
  list_id: contactExample.list_id,
  list_name: "Newsletter",
  ip: null,
  user_agent: null,
  words: null,
  source: "At the fair",
};

const Consent = z
  .object({
    kind: z.enum(["requested", "confirmed", "stated"]),
    at: timestamp,
    list_id: z.string(),
    list_name: z.string().describe("The name that the list had then."),
    ip: z.string().nullable(),
    user_agent: z.string().nullable(),
    words: z.record(z.string(), z.unknown()).nullable().describe("The words that the person agreed to."),
    source: z.string().nullable().describe("Where the person agreed, as a caller stated it."),
  })
  .meta(named("PersonConsent", consentExample));

const eventExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a30",
  name: "order.paid",
  data: { total: 42.5 },
  occurred_at: "2026-11-21T14:00:00.000Z",
  created_at: "2026-11-21T14:00:01.120Z",
};

const runExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a32",
  automation: "Welcome",
  status: "completed",
  data: { total: 42.5 },
  history: [{ at: "2026-11-21T14:00:00.000Z", step: null, text: "Entered by order.paid." }],
  started_at: "2026-11-21T14:00:00.000Z",
};

const Run = z
  .object({
    id: z.uuid(),
    automation: z.string().describe("Name of the automation."),
    status: z.string(),
    data: z.record(z.string(), z.unknown()),
    history: z.array(z.object({ at: timestamp, step: z.string().nullable(), text: z.string() })),
    started_at: timestamp,
  })
  .meta(named("PersonRun", runExample));

const emailExample = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
  from_address: "hello@example.com",
  addressed_as: [{ kind: "to" as const, email: "ada@example.org", name: "Ada Lovelace", state: "delivered" }],
  subject: "Your order",
  status: "delivered" as const,
  source: "api",
  created_at: "2026-11-21T14:12:48.000Z",
  sent_at: "2026-11-21T14:12:49.120Z",
  delivered_at: "2026-11-21T14:12:49.120Z",
  events: [
    {
      id: "019aa7c0-4e60-7c11-9d02-33b0a1f5c802",
      event_type: "queued",
      metadata: null,
      created_at: "2026-11-21T14:12:48.000Z",
    },
  ],
};

const Email = z
  .object({
    id: z.uuid(),
    from_address: z.string(),
    addressed_as: z
      .array(
        z.object({
          kind: z.enum(["to", "cc", "bcc"]),
          email: z.string(),
          name: z.string().nullable(),
          state: z.string(),
        }),
      )
      .describe("The entries of this person. Other recipients are not named."),
    subject: z.string(),
    status: z.enum(statuses),
    source: z.string(),
    created_at: timestamp,
    sent_at: timestamp.nullable(),
    delivered_at: timestamp.nullable(),
    events: z.array(EventOut).describe("The events about this person, and those about the email as a whole."),
  })
  .meta(named("PersonEmail", emailExample));

const Suppression = z.object({
  reason: z.enum(["bounce", "complaint", "unsubscribe", "manual"]),
  created_at: timestamp,
  unsubscribed_at: timestamp.nullable(),
});

const SoftBounces = z.object({
  email_ids: z.array(z.string()),
  first_at: timestamp,
  last_at: timestamp,
  listed_at: timestamp.nullable().describe("Since when soft bounces stop bulk mail; null: they do not."),
});

const Activity = z.object({
  received_at: timestamp.nullable(),
  opened_at: timestamp.nullable(),
  clicked_at: timestamp.nullable(),
});

export const PersonExportOut = z
  .object({
    email: z.string().describe("The address in its canonical form."),
    suppression: Suppression.nullable(),
    soft_bounces: SoftBounces.nullable(),
    topics: PersonTopicsOut,
    activity: Activity.nullable().describe(
      "When emails were last received, opened and clicked; null: that is not kept.",
    ),
    contacts: z.array(Contact),
    consents: z.array(Consent),
    events: z.array(PersonEventOut).describe("Oldest first."),
    runs: z.array(Run).describe("Runs through automations, oldest first."),
    emails: z.array(Email).describe("Newest first."),
  })
  .meta(
    named("PersonExport", {
      email: "ada@example.org",
      suppression: null,
      soft_bounces: null,
      topics: { email: "ada@example.org", unsubscribed_from_all: false, topics: [] },
      activity: null,
      contacts: [contactExample],
      consents: [consentExample],
      events: [
        {
          ...eventExample,
          name: "contact.added",
          data: { list_id: contactExample.list_id, contact_id: contactExample.id },
        },
      ],
      runs: [runExample],
      emails: [emailExample],
    }),
  );
export type PersonExportOut = z.output<typeof PersonExportOut>;

/** The rows of a page of an export. */
interface ExportRows extends RestrictionsOfPerson {
  topics: PersonTopics;
  activity: ActivityOfPerson | null;
  contacts: readonly ContactOfPerson[];
  consents: readonly ConsentOfPerson[];
  events: readonly EventOfPerson[];
  runs: readonly RunOfPerson[];
  emails: readonly EmailOfRecipient[];
}

const parseObject = (text: string | null) => (text === null ? null : (JSON.parse(text) as Record<string, unknown>));

/** Serializes a page of an export. */
export function toExport(email: string, rows: ExportRows): PersonExportOut {
  const { suppression, softBounces, activity } = rows;
  return {
    email,
    suppression: suppression && serialize(Suppression, suppression),
    soft_bounces:
      softBounces && serialize(SoftBounces, { ...softBounces, emailIds: JSON.parse(softBounces.emailIds) as string[] }),
    topics: toPersonTopics(email, rows.topics),
    activity: activity && serialize(Activity, activity),
    contacts: rows.contacts.map(toContact),
    consents: rows.consents.map(toConsent),
    events: rows.events.map(toPersonEvent),
    runs: rows.runs.map(toRun),
    emails: rows.emails.map(toEmail),
  };
}

const toContact = (row: ContactOfPerson): PersonExportOut["contacts"][number] =>
  serialize(Contact, {
    ...row,
    metadata: parseObject(row.metadata),
    status: row.pendingSince === null ? "active" : "pending",
  });

const toConsent = (row: ConsentOfPerson): PersonExportOut["consents"][number] =>
  serialize(Consent, { ...row, at: iso(row.at), words: parseObject(row.words) });

const toEmail = ({ row, entries, events }: EmailOfRecipient): PersonExportOut["emails"][number] =>
  serialize(Email, {
    ...row,
    fromAddress: row.fromEmail,
    addressedAs: entries.map(({ kind, email, name, state }) => ({ kind, email, name: name ?? null, state })),
    events: events.map(toEvent),
  });

/** Returns a run with its history as a list. */
function toRun({ data, history, ...row }: RunOfPerson): PersonExportOut["runs"][number] {
  const lines = toLines(parseHistory(history));
  return serialize(Run, { ...row, data: JSON.parse(data) as Record<string, unknown>, history: lines });
}
