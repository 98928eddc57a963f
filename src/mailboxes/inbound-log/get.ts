import type { CallerCtx } from "../../access/caller.ts";
import { notFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { iso } from "../../lib/time.ts";
import { readAuthentication } from "../../mail/authentication-results/stored-results.ts";
import type { inboundEmails } from "../../platform/db/schema/mail/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import { mayOpen } from "../../sending/emails/index.ts";
import type { InboundEntryOut } from "./schema.ts";

const FIND_ENTRY = `
  SELECT id, mailbox_id, domain_id, from_address, from_name, recipient, subject, received_at, authentication, attachment_count,
         text_preview, events
    FROM inbound_emails WHERE workspace = ?1 AND id = ?2`;

type EntryRow = Omit<StoredRow<typeof inboundEmails>, "n" | "workspace" | "message_id" | "folded">;

/** An event of the inbound log as it is stored: its name, its time in ms since 1970 and its details. */
export type StoredInboundEvent = { event: string; at: number } & Record<string, unknown>;

/**
 * Returns an entry of the inbound log. A member who is not assigned to the mailbox gets no subject and no preview. Throws 404 when its id is
 * unknown or malformed, or when it belongs to another workspace or to a domain outside the key's restriction.
 */
export async function getInboundEntry(ctx: CallerCtx, text: string): Promise<InboundEntryOut> {
  const id = parseUuid(text);
  const row = id && (await ctx.mail.findRow<EntryRow>(FIND_ENTRY, ctx.workspace.number, id));
  if (!row || ctx.actor.domainIds?.has(row.domain_id) === false) throw notFound("Inbound message");
  const { domain_id: _, mailbox_id, authentication, events, received_at, ...entry } = row;
  return {
    ...entry,
    ...((await mayOpen(ctx, mailbox_id)) ? {} : HIDDEN),
    direction: "inbound",
    received_at: iso(received_at),
    authentication: readAuthentication(authentication),
    events: (JSON.parse(events) as StoredInboundEvent[]).map(({ event, at, ...metadata }) => ({
      event_type: event,
      metadata,
      created_at: iso(at),
    })),
  };
}

const HIDDEN = { subject: null, text_preview: null };
