import { dayOf } from "../../lib/time.ts";
import type { Ctx, MainStatement } from "../../platform/context.ts";
import type { ReceiverWait } from "./find-waits.ts";

// A domain that was seen within half a day is not written again.
const SAVE_DOMAINS = `
  INSERT INTO receiver_domains (domain, receiver, seen_at)
  SELECT value->>'domain', value->>'receiver', ?2 FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET receiver = excluded.receiver, seen_at = excluded.seen_at
   WHERE receiver <> excluded.receiver OR seen_at < ?2 - 43200000`;

/** Returns the statement that keeps which receiver the domains of recipients have. */
export function receiverDomainsStatement(
  ctx: Pick<Ctx, "db" | "now">,
  domains: readonly { domain: string; receiver: string }[],
): MainStatement {
  const unique = new Map(domains.map((one) => [one.domain, one]));
  return ctx.db.prepare(SAVE_DOMAINS).bind(JSON.stringify([...unique.values()]), ctx.now());
}

const SAVE_WAITS = `
  INSERT INTO egress_waits (receiver, egress, label, reason, until)
  SELECT value->>'receiver', ?2, value->>'label', value->>'reason', value->>'until' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET label = excluded.label, reason = excluded.reason, until = excluded.until`;

/** Returns the statement that keeps until when receivers take no mail from the egress with this name. */
export function receiverWaitsStatement(
  ctx: Pick<Ctx, "db">,
  waits: readonly ReceiverWait[],
  egress: string,
): MainStatement {
  const unique = new Map(waits.map((wait) => [wait.receiver, wait]));
  return ctx.db.prepare(SAVE_WAITS).bind(JSON.stringify([...unique.values()]), egress);
}

const ADD_VOLUME = `
  INSERT INTO egress_volume (day, address, receiver, emails)
  SELECT ?2, ?3, value->>'receiver', value->>'emails' FROM json_each(?1) WHERE true
  ON CONFLICT DO UPDATE SET emails = emails + excluded.emails`;

/** Returns the statement that adds accepted emails to the volume of a source address on this day (UTC), by receiver. */
export function receiverVolumeStatement(
  ctx: Pick<Ctx, "db" | "now">,
  address: string,
  accepted: ReadonlyMap<string, number>,
): MainStatement {
  const rows = [...accepted].map(([receiver, emails]) => ({ receiver, emails }));
  return ctx.db.prepare(ADD_VOLUME).bind(JSON.stringify(rows), dayOf(ctx.now()), address);
}
