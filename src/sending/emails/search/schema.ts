import * as z from "zod";
import { named, serialize, timestamp } from "../../../lib/serialize.ts";
import { Authentication } from "../../../mail/authentication-results/stored-results.ts";
import type { RecordRow } from "../queries.ts";
import { statuses } from "../rules.ts";
import { addressesOf, hasComplaint } from "../serialize.ts";

/** An email in search results. */
export const SearchOut = z
  .object({
    id: z.uuid(),
    direction: z.enum(["outbound", "inbound"]),
    from_address: z.string(),
    from_name: z.string().nullable(),
    to_addresses: z.array(z.string()),
    subject: z.string(),
    status: z.enum(statuses),
    tags: z.array(z.string()).nullable(),
    source: z.string(),
    has_complaint: z.boolean().describe("True when a recipient has marked it as spam."),
    opened_count: z.int().describe("0 for inbound emails."),
    authentication: Authentication.nullable().describe("Null for outbound emails."),
    created_at: timestamp,
    delivered_at: timestamp.nullable(),
  })
  .meta(
    named("EmailSearchRecord", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a01",
      direction: "outbound",
      from_address: "hello@example.com",
      from_name: "Example Shop",
      to_addresses: ["ada@example.org"],
      subject: "Your receipt",
      status: "delivered",
      tags: ["receipt"],
      source: "api",
      has_complaint: false,
      opened_count: 0,
      authentication: null,
      created_at: "2026-11-21T14:12:48.000Z",
      delivered_at: "2026-11-21T14:12:49.120Z",
    }),
  );
export type SearchOut = z.output<typeof SearchOut>;

/** Serializes an email for search results. */
export function toSearchRecord(row: RecordRow): SearchOut {
  return serialize(SearchOut, {
    ...row,
    direction: "outbound",
    fromAddress: row.fromEmail,
    toAddresses: addressesOf(row, "to"),
    hasComplaint: hasComplaint(row),
    authentication: null,
  });
}

const text = (most: number) => z.string().max(most).nullable().default(null);

/** A saved search. Unknown fields are dropped. */
const SavedSearchEntry = z
  .object({
    id: z.string().min(1).max(64).optional().describe("Assigned by the service when absent."),
    name: z.string().trim().min(1).max(100),
    query: text(500),
    range: text(64),
    status: text(64),
    domain: text(253),
    source: text(64),
  })
  .meta({ ref: "SavedSearchEntry" });

export const SavedSearchesIn = z
  .object({ searches: z.array(SavedSearchEntry).max(50) })
  .meta(named("SavedSearchesUpdate", { searches: [{ name: "Bounced receipts", query: "tag:receipt" }] }));
export type SavedSearchesIn = z.output<typeof SavedSearchesIn>;

export const SavedSearchesOut = z.object({ searches: z.array(SavedSearchEntry.extend({ id: z.string() })) }).meta(
  named("SavedSearches", {
    searches: [
      {
        id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a08",
        name: "Bounced receipts",
        query: "tag:receipt",
        range: null,
        status: null,
        domain: null,
        source: null,
      },
    ],
  }),
);
export type SavedSearchesOut = z.output<typeof SavedSearchesOut>;
