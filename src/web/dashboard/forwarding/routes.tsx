import type { CallerCtx } from "../../../access/caller.ts";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, page, pagesOf, post, question } from "../../../http/page-actions.tsx";
import { onceForForm, parseFields, refusedAt, submitForm } from "../../../http/page-routes.ts";
import { requireVersion } from "../../../lib/form-version.ts";
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
import { listMakerlessFilters } from "../../../mailboxes/inbox/index.ts";
import { listMailboxes } from "../../../mailboxes/mailboxes/index.ts";
import { fieldOf, readRuleForm, toRuleForm, toRulePatch, toRuleRequest, valuesOf } from "./form.tsx";
import { MakerlessFiltersPage } from "./makerless-filters.tsx";
import { type Names, NewRulePage, RulePage, RuleSecretPage, RulesPage } from "./page.tsx";

/** Most domains and mailboxes in the choice of a form, and whose names lists show. */
const MAX_CHOICES = 200;
const CREATE = "POST /v1/forwarding-rules/";
const UPDATE = "PATCH /v1/forwarding-rules/:rule_id";

export const forwardingPages = pagesOf(
  "rule",
  page("/app/forwarding", "GET /v1/forwarding-rules/", async (c) => {
    const caller = c.get("caller");
    const [rows, { names }] = await Promise.all([listRules(caller), findChoices(caller)]);
    return respondPage(c, <RulesPage rules={rows.map((row) => toRule(row))} names={names} />);
  }),
  page("/app/forwarding/new", CREATE, showForm),
  post(
    "/app/forwarding/new",
    CREATE,
    (c) =>
      submitForm(c, showForm, async (fields) => {
        const request = toRuleRequest(readRuleForm(fields), fields.get("scope")?.trim() ?? "");
        const rule = await refusedAt(async () => {
          const input = parseFields(RuleIn, await withMailboxId(c, request));
          return onceForForm(c, (ctx) => createRule(ctx, input));
        }, fieldOf);
        return showSaved(c, rule, "created");
      }),
    { created: "The rule is created." },
  ),
  page("/app/forwarding/filters", "PUT /v1/mailboxes/:mailbox_id/assignees", async (c) => {
    const caller = c.get("caller");
    const { found, next } = await listMakerlessFilters(caller, c.req.query("after"));
    return respondPage(c, <MakerlessFiltersPage found={found} />, {
      next: next && `/app/forwarding/filters?${new URLSearchParams({ after: next })}`,
      nextLabel: "Next mailboxes",
    });
  }),
  page("/app/forwarding/:rule_id", "GET /v1/forwarding-rules/:rule_id", showRule),
  post(
    "/app/forwarding/:rule_id",
    UPDATE,
    (c) =>
      submitForm(c, showRule, async (fields) => {
        const [caller, id] = [c.get("caller"), c.req.param("rule_id")];
        const form = readRuleForm(fields);
        const rule = await refusedAt(async () => {
          const request = await withMailboxId(c, toRulePatch(form));
          const patch = parseFields(RulePatch, request);
          const stored = toRuleForm(toRule(await getRule(caller, id)));
          const entered = { ...form, target: request.action.target };
          requireVersion(fields.get("version") ?? "", valuesOf(stored), valuesOf(entered));
          return updateRule(caller, id, patch);
        }, fieldOf);
        return showSaved(c, rule, "saved");
      }),
    { saved: "The rule is saved." },
  ),
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
const showSaved = (c: AppContext, rule: RuleOut, done: string) =>
  rule.secret === undefined
    ? `/app/forwarding/${rule.id}?done=${done}`
    : respondPage(c, <RuleSecretPage rule={rule} secret={rule.secret} />);

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
async function findChoices(caller: CallerCtx): Promise<{ names: Names; scopes: { value: string; label: string }[] }> {
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

async function showForm(c: AppContext) {
  const { scopes } = await findChoices(c.get("caller"));
  return respondPage(c, <NewRulePage scopes={scopes} />);
}

async function showRule(c: AppContext) {
  const caller = c.get("caller");
  const [row, { names }] = await Promise.all([getRule(caller, c.req.param("rule_id") ?? ""), findChoices(caller)]);
  return respondPage(c, <RulePage rule={toRule(row)} names={names} />);
}
