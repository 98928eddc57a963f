import * as z from "zod";
import { dkimRecords } from "../../domains/domains/index.ts";
import { named, serialize, timestamp } from "../../lib/serialize.ts";
import { limitedText } from "../../lib/text-fields.ts";
import { isoOrNull } from "../../lib/time.ts";
import type { TransferKey, TransferRow } from "./queries.ts";
import { codes, NOTE_CHARACTERS, shownStatus, statuses, type TransferCode } from "./rules.ts";

/** An address has at most 254 bytes; longer text only becomes a longer error. */
const targetEmail = z.string().max(1_000).describe("Address of the account that gets the domain.");

export const TransferIn = z
  .object({
    target_email: targetEmail,
    note: limitedText("note", NOTE_CHARACTERS)
      .meta({ maxLength: NOTE_CHARACTERS })
      .nullish()
      .describe("Text for the recipient."),
  })
  .meta(named("DomainTransferCreate", { target_email: "ada@example.org", note: "As agreed." }));
export type TransferIn = z.output<typeof TransferIn>;

export const AcceptIn = z
  .object({
    target_org_id: z
      .string()
      .max(100)
      .nullish()
      .describe("Id of the workspace that gets the domain. Default: the oldest one in which you are owner or admin."),
    rotate_dkim: z
      .boolean()
      .default(false)
      .describe("Generates new DKIM keys. They sign once their records are seen; the old keys sign until then."),
  })
  .meta(named("DomainTransferAccept", { target_org_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06", rotate_dkim: false }));
export type AcceptIn = z.output<typeof AcceptIn>;

export const ForceIn = z
  .object({ target_email: targetEmail, rotate_dkim: AcceptIn.shape.rotate_dkim.unwrap().default(true) })
  .meta(named("DomainTransferForce", { target_email: "ada@example.org", rotate_dkim: false }));
export type ForceIn = z.output<typeof ForceIn>;

const EXAMPLE = {
  id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a50",
  domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
  domain_name: "shop.example.net",
  source_user_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
  source_org_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a06",
  source_label: "Example Shop",
  target_email: "ada@example.org",
  target_user_id: null,
  target_org_id: null,
  status: "pending",
  note: "As agreed.",
  cooloff_until: null,
  initiated_at: "2026-11-21T14:00:00.000Z",
  accepted_at: null,
  completed_at: null,
  expires_at: "2026-11-28T14:00:00.000Z",
  dkim_records: [],
};

/** A transfer of a domain (docs/contract/transfers.md#transfer-statuses). */
export const TransferOut = z
  .object({
    id: z.uuid(),
    domain_id: z.uuid(),
    domain_name: z.string(),
    source_user_id: z.uuid(),
    source_org_id: z.uuid(),
    source_label: z.string().describe("Name of the workspace that gives the domain away."),
    target_email: z.string(),
    target_user_id: z.uuid().nullable(),
    target_org_id: z.uuid().nullable(),
    status: z.enum(statuses),
    note: z.string().nullable(),
    cooloff_until: timestamp.nullable().describe("End of the 24-hour safety window."),
    initiated_at: timestamp,
    accepted_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    expires_at: timestamp,
    dkim_records: z
      .array(z.object({ type: z.literal("TXT"), name: z.string(), value: z.string() }))
      .describe("Records of the new DKIM keys, with `rotate_dkim`, until the domain shows them itself."),
  })
  .meta(named("DomainTransfer", EXAMPLE));
export type TransferOut = z.output<typeof TransferOut>;

/** The response of an initiation says what moves with the domain (docs/contract/transfers.md#calls-of-a-transfer). */
export const OfferedTransferOut = TransferOut.extend({
  moves: z.object({
    mailboxes: z.int().describe("Mailboxes of the domain and its sub-domains."),
    messages: z.int().describe("Messages in these mailboxes. Of more than 200 mailboxes, the 200 largest are counted."),
  }),
}).meta(named("DomainTransferOffer", { ...EXAMPLE, moves: { mailboxes: 3, messages: 0 } }));
export type OfferedTransferOut = z.output<typeof OfferedTransferOut>;

/** Serializes a transfer as it is at `now`. */
export function toTransfer(row: TransferRow, now: number, keys: readonly TransferKey[] = []): TransferOut {
  return serialize(TransferOut, {
    ...row,
    status: shownStatus(row, now),
    cooloffUntil: isoOrNull(row.cooloffUntil),
    dkimRecords: dkimRecords(row.domainName, keys),
  });
}

/** Says whether the caller could accept a transfer (docs/contract/transfers.md#eligibility). */
export const EligibilityOut = z
  .object({
    can_accept: z.boolean(),
    code: z.string().nullable(),
    message: z.string().nullable(),
    current_domains: z.int().describe("Domains of the active workspace."),
    domain_limit: z.int().describe("Always -1: unlimited."),
  })
  .meta({
    ref: "DomainTransferEligibility",
    examples: [{ can_accept: true, code: null, message: null, current_domains: 2, domain_limit: -1 }],
  });
export type EligibilityOut = z.output<typeof EligibilityOut>;

/** The body of an error of a transfer. */
export const TransferProblem = z
  .object({
    detail: z.string(),
    code: z.enum(Object.keys(codes) as [TransferCode, ...TransferCode[]]).optional(),
    blockers: z
      .array(z.object({ kind: z.string(), id: z.string(), label: z.string() }))
      .optional()
      .describe("What stops the transfer, at most 50 of each kind."),
  })
  .meta({ ref: "DomainTransferProblem" });
