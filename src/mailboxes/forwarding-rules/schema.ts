import * as z from "zod";
import { idField } from "../../lib/id-field.ts";
import { named, timestamp } from "../../lib/serialize.ts";
import { iso } from "../../lib/time.ts";
import type { forwardingRules } from "../../platform/db/schema/main/index.ts";
import type { StoredRow } from "../../platform/db/stored-row.ts";
import { limits, type RuleMatch } from "./rules.ts";

const condition = z.string().max(limits.matchCharacters).nullish();

const MatchIn = z
  .object({
    from: condition.describe("An address, or `@` and a domain."),
    to: condition.describe("The same, compared with the recipients of the envelope, of To and of Cc."),
    subject_contains: condition.describe("Text in the subject, in any letter case."),
  })
  .describe("All conditions must hold. Without any, the rule applies to every email.");

export const actionTypes = ["address", "mailbox", "webhook"] as const;

const ActionIn = z.object({
  type: z.enum(actionTypes),
  target: z
    .string()
    .min(1)
    .max(2048)
    .describe("An email address, the id of a mailbox of the workspace, or an https URL."),
});

const position = z.int().min(0).max(1_000_000);

export const RuleIn = z
  .object({
    domain_id: idField().nullish().describe("Applies to all mailboxes of this domain. Give this or mailbox_id."),
    mailbox_id: idField().nullish().describe("Applies to this mailbox."),
    match: MatchIn.default({}),
    action: ActionIn,
    is_active: z.boolean().default(true),
    position: position.nullish().describe("Rules are applied in this order. The end of the list when absent."),
  })
  .meta(
    named("ForwardingRuleCreate", {
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      match: { subject_contains: "invoice" },
      action: { type: "address", target: "books@example.net" },
    }),
  );
export type RuleIn = z.output<typeof RuleIn>;

export const RulePatch = z
  .object({
    match: MatchIn.optional(),
    action: ActionIn.optional(),
    is_active: z.boolean().optional(),
    position: position.optional(),
  })
  .meta(named("ForwardingRuleUpdate", { is_active: false }));
export type RulePatch = z.output<typeof RulePatch>;

export const RuleOut = z
  .object({
    id: z.uuid(),
    domain_id: z.uuid(),
    mailbox_id: z.uuid().nullable(),
    match: z.object({
      from: z.string().nullable(),
      to: z.string().nullable(),
      subject_contains: z.string().nullable(),
    }),
    action: z.object({ type: z.enum(actionTypes), target: z.string() }),
    is_active: z.boolean(),
    is_confirmed: z
      .boolean()
      .describe("Whether the target is inside the workspace, a URL, or an address that has confirmed by its link."),
    position: z.int(),
    secret: z
      .string()
      .optional()
      .describe("Signs what the rule posts to a URL. In the response of the call that makes it only."),
    maker_id: z.uuid().nullable().describe("The user who saved the rule last. Null: not known."),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta(
    named("ForwardingRule", {
      id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a80",
      domain_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a02",
      mailbox_id: null,
      match: { from: null, to: null, subject_contains: "invoice" },
      action: { type: "address", target: "books@example.net" },
      is_active: true,
      is_confirmed: false,
      position: 0,
      maker_id: "019aa7c0-4a00-7b3d-8f21-6c1d9e2b7a05",
      created_at: "2026-11-21T14:00:00.000Z",
      updated_at: "2026-11-21T14:00:00.000Z",
    }),
  );
export type RuleOut = z.output<typeof RuleOut>;

/** A forwarding rule, whether it may forward to its target, and its maker. */
export interface RuleRow extends Omit<StoredRow<typeof forwardingRules>, "workspace" | "secret"> {
  is_confirmed: 0 | 1;
  /** Address of the user who saved it last. */
  maker: string | null;
}

/** Serializes a rule. `secret`: the secret that the call made. */
export function toRule(row: RuleRow, secret: string | null = null): RuleOut {
  const { from = null, to = null, subject_contains = null } = JSON.parse(row.match) as RuleMatch;
  return {
    id: row.id,
    domain_id: row.domain_id,
    mailbox_id: row.mailbox_id,
    match: { from, to, subject_contains },
    action: { type: row.action, target: row.target },
    is_active: row.is_active === 1,
    is_confirmed: row.is_confirmed === 1,
    position: row.position,
    ...(secret === null ? {} : { secret }),
    maker_id: row.user_id,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
}
