import type { CallerCtx } from "../../../access/caller.ts";
import { listDomains } from "../../../domains/domains/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { changeByButton, onceForForm, pageFor, parseFields, refusedAt, submitForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
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
const DELETE = "DELETE /v1/forwarding-rules/:rule_id";

const notices: Readonly<Record<string, string>> = {
  created: "The rule is created.",
  saved: "The rule is saved.",
  enabled: "The rule is active.",
  disabled: "The rule is off. Nothing is forwarded by it.",
  deleted: "The rule is deleted.",
};

export const forwardingPages = newRoutes()
  .get("/app/forwarding", ...pageFor("GET /v1/forwarding-rules/"), async (c) => {
    const caller = c.get("caller");
    const [rows, { names }] = await Promise.all([listRules(caller), findChoices(caller)]);
    return respondPage(c, <RulesPage rules={rows.map((row) => toRule(row))} names={names} />, { notices });
  })
  .get("/app/forwarding/new", ...pageFor(CREATE), showForm)
  .post("/app/forwarding/new", ...pageFor(CREATE), (c) =>
    submitForm(c, showForm, async (fields) => {
      const request = toRuleRequest(readRuleForm(fields), fields.get("scope")?.trim() ?? "");
      const rule = await refusedAt(async () => {
        const input = parseFields(RuleIn, await withMailboxId(c, request));
        return onceForForm(c, (ctx) => createRule(ctx, input));
      }, fieldOf);
      return showSaved(c, rule, "created");
    }),
  )
  .get("/app/forwarding/filters", ...pageFor("PUT /v1/mailboxes/:mailbox_id/assignees"), async (c) => {
    const caller = c.get("caller");
    const { found, next } = await listMakerlessFilters(caller, c.req.query("after"));
    return respondPage(c, <MakerlessFiltersPage found={found} />, {
      next: next && `/app/forwarding/filters?${new URLSearchParams({ after: next })}`,
      nextLabel: "Next mailboxes",
    });
  })
  .get("/app/forwarding/:rule_id", ...pageFor("GET /v1/forwarding-rules/:rule_id"), showRule)
  .post("/app/forwarding/:rule_id", ...pageFor(UPDATE), (c) =>
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
  )
  .post("/app/forwarding/:rule_id/enable", ...pageFor(UPDATE), (c) =>
    changeByButton(c, PAGE, "enabled", (caller, id) => updateRule(caller, id, { is_active: true })),
  )
  .post("/app/forwarding/:rule_id/disable", ...pageFor(UPDATE), (c) =>
    changeByButton(c, PAGE, "disabled", (caller, id) => updateRule(caller, id, { is_active: false })),
  )
  .get("/app/forwarding/:rule_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, target } = await getRule(c.get("caller"), c.req.param("rule_id"));
    return respondPage(
      c,
      <ConfirmPage title="Delete this rule?" button="Delete rule" back={`/app/forwarding/${id}`}>
        Nothing more is forwarded to <span class="code">{target}</span> by it. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/forwarding/:rule_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteRule(c.get("caller"), c.req.param("rule_id"));
    return c.redirect("/app/forwarding?done=deleted", 303);
  });

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

const PAGE = { parameter: "rule_id", show: showRule, pathOf: (id: string) => `/app/forwarding/${id}` };

/** Returns the domains and mailboxes of the workspace, as choices and by their ids. */
async function findChoices(caller: CallerCtx): Promise<{ names: Names; scopes: { value: string; label: string }[] }> {
  const page = { offset: 0, limit: MAX_CHOICES };
  const [domains, mailboxes] = await Promise.all([
    listDomains(caller, page),
    caller.actor.scopes.has("mailboxes:view") ? listMailboxes(caller, page) : [],
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
  return respondPage(c, <RulePage rule={toRule(row)} names={names} />, { notices });
}
