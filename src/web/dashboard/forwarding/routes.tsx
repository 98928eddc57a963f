import type { CallerCtx } from "../../../access/caller.ts";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, change, creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { parseFields } from "../../../http/page-routes.ts";
import { findEmailsOf } from "../../../identity/members/index.ts";
import {
  createRule,
  deleteRule,
  getRule,
  listRules,
  RuleIn,
  type RuleOut,
  RulePatch,
  toRule,
  updateRule,
} from "../../../mailboxes/forwarding-rules/index.ts";
import { endForwards, listForwardingFilters, openMailbox } from "../../../mailboxes/inbox/index.ts";
import { listMailboxes } from "../../../mailboxes/mailboxes/index.ts";
import { AllForwardsPage } from "./all-forwards.tsx";
import { fieldOf, readRuleForm, toRuleForm, toRulePatch, toRuleRequest, valuesOf } from "./form.tsx";
import { NewRulePage, RulePage, RuleSecretPage, RulesPage } from "./page.tsx";

/** Most domains and mailboxes in the choice of a form, and whose names lists show. */
const MAX_CHOICES = 200;
const CREATE = "POST /v1/forwarding-rules/";
const UPDATE = "PATCH /v1/forwarding-rules/:rule_id";
/** A route for callers who may open every mailbox. */
const OPEN_ALL = "PUT /v1/mailboxes/:mailbox_id/assignees";

export const forwardingPages = pagesOf(
  "rule",
  page("/app/forwarding", "GET /v1/forwarding-rules/", async (c) => {
    const caller = c.get("caller");
    const [rows, { names }] = await Promise.all([listRules(caller), findChoices(caller)]);
    return respondPage(c, <RulesPage rules={rows.map((row) => toRule(row))} names={names} />);
  }),
  page("/app/forwarding/new", CREATE, async (c) => {
    const { scopes } = await findChoices(c.get("caller"));
    return respondPage(c, <NewRulePage scopes={scopes} />);
  }),
  creation("/app/forwarding/new", CREATE, {
    read: async (fields, c) => {
      const request = toRuleRequest(readRuleForm(fields), fields.get("scope")?.trim() ?? "");
      return parseFields(RuleIn, await withMailboxId(c, request));
    },
    run: createRule,
    fieldOf,
    to: showSaved("created"),
  }),
  page("/app/forwarding/all", OPEN_ALL, showAll),
  button("/app/forwarding/filters/:mailbox_id/:filter_id/end", OPEN_ALL, {
    run: async (caller, mailboxId, filterId) => endForwards(caller, await openMailbox(caller, mailboxId), filterId),
    to: "/app/forwarding/all",
    done: { ended: "The filter forwards no more." },
  }),
  page("/app/forwarding/:rule_id", "GET /v1/forwarding-rules/:rule_id", async (c) => {
    const caller = c.get("caller");
    const [row, { names }] = await Promise.all([getRule(caller, c.req.param("rule_id") ?? ""), findChoices(caller)]);
    return respondPage(c, <RulePage rule={toRule(row)} names={names} />);
  }),
  change("/app/forwarding/:rule_id", UPDATE, {
    read: async (fields, c) => {
      const form = readRuleForm(fields);
      const request = await withMailboxId(c, toRulePatch(form));
      return { patch: parseFields(RulePatch, request), form: { ...form, target: request.action.target } };
    },
    run: (caller, id, { patch }) => updateRule(caller, id, patch),
    version: {
      stored: async (caller, id) => valuesOf(toRuleForm(toRule(await getRule(caller, id)))),
      entered: ({ form }) => valuesOf(form),
    },
    fieldOf,
    to: showSaved("saved"),
    done: { saved: "The rule is saved." },
  }),
  button("/app/forwarding/:rule_id/enable", UPDATE, {
    run: (caller, id) => updateRule(caller, id, { is_active: true }),
    done: { enabled: "The rule is active." },
  }),
  button("/app/forwarding/:rule_id/disable", UPDATE, {
    run: (caller, id) => updateRule(caller, id, { is_active: false }),
    done: { disabled: "The rule is off. Nothing is forwarded by it." },
  }),
  question("/app/forwarding/:rule_id/delete", "DELETE /v1/forwarding-rules/:rule_id", {
    of: getRule,
    title: "Delete this rule?",
    button: "Delete rule",
    text: ({ target }) => (
      <>
        Nothing more is forwarded to <span class="code">{target}</span> by it. This cannot be undone.
      </>
    ),
    run: deleteRule,
    done: { deleted: "The rule is deleted." },
  }),
);

/** Leads to the page of a rule, or shows the secret that the call made. */
function showSaved(done: string) {
  return (rule: RuleOut, c: AppContext) =>
    rule.secret === undefined
      ? `/app/forwarding/${rule.id}?done=${done}`
      : respondPage(c, <RuleSecretPage rule={rule} secret={rule.secret} />);
}

/** A mailbox may be written as its address; the API takes its id. */
async function withMailboxId<Fields extends { action: { type: string; target: string } }>(
  c: AppContext,
  fields: Fields,
): Promise<Fields> {
  const { type, target } = fields.action;
  if (type !== "mailbox") return fields;
  const { names } = await findChoices(c.get("caller"));
  const id = [...names].find(([, name]) => name === target)?.[0] ?? target;
  return { ...fields, action: { type, target: id } };
}

/** Returns the domains and mailboxes of the workspace, as choices and by their ids. */
async function findChoices(caller: CallerCtx) {
  const range = { offset: 0, limit: MAX_CHOICES };
  const [domains, mailboxes] = await Promise.all([
    listDomains(caller, range),
    caller.actor.scopes.has("mailboxes:view") ? listMailboxes(caller, range) : [],
  ]);
  const ofDomains = domains.map(({ domain: { id, name } }) => ({
    id,
    name,
    kind: "domain",
    label: `Every mailbox of ${name}`,
  }));
  const ofMailboxes = mailboxes.map(({ id, address }) => ({ id, name: address, kind: "mailbox", label: address }));
  const all = [...ofDomains, ...ofMailboxes];
  return {
    names: new Map(all.map(({ id, name }) => [id, name])),
    scopes: all.map(({ kind, id, label }) => ({ value: `${kind}:${id}`, label })),
  };
}

async function showAll(c: AppContext) {
  const caller = c.get("caller");
  const after = c.req.query("after");
  const [{ filters, next }, rows, { names }] = await Promise.all([
    listForwardingFilters(caller, after),
    after === undefined ? listRules(caller) : [],
    findChoices(caller),
  ]);
  const rules = rows.map((row) => toRule(row));
  const ofFilters = await findEmailsOf(
    caller,
    filters.flatMap(({ makerId }) => makerId ?? []),
  );
  const ofRules = rows.map(({ user_id, maker }) => [user_id ?? "", maker ?? ""] as const);
  const makers = new Map([...ofRules, ...ofFilters]);
  return respondPage(c, <AllForwardsPage rules={rules} filters={filters} names={names} makers={makers} />, {
    next: next && `/app/forwarding/all?${new URLSearchParams({ after: next })}`,
    nextLabel: "Next mailboxes",
  });
}
