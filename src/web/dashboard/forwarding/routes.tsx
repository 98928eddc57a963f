import type { Context } from "hono";
import { Hono } from "hono";
import type { CallerCtx } from "../../../access/caller.ts";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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
import {
  emptyRuleForm,
  type RuleForm,
  readRuleForm,
  toRuleErrors,
  toRuleForm,
  toRulePatch,
  toRuleRequest,
  valuesOf,
} from "./form.tsx";
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

export const forwardingPages = new Hono<AppEnv>()
  .get("/app/forwarding", ...pageFor("GET /v1/forwarding-rules/"), async (c) => {
    const caller = c.get("caller");
    const [rows, { names }] = await Promise.all([listRules(caller), findChoices(caller)]);
    const notice = notices[c.req.query("done") ?? ""];
    const rules = rows.map((row) => toRule(row));
    return respondPage(c, <RulesPage caller={caller} rules={rules} names={names} notice={notice} />);
  })
  .get("/app/forwarding/new", ...pageFor(CREATE), (c) =>
    showForm(c, { ...emptyRuleForm, idempotencyKey: crypto.randomUUID() }),
  )
  .post("/app/forwarding/new", ...pageFor(CREATE), async (c) => {
    const fields = await readForm(c);
    const form = { ...readRuleForm(fields), idempotencyKey: fields.get("idempotency_key") ?? "" };
    return submitForm(
      c,
      async () => {
        const request = toRuleRequest(form);
        const input = parseFields(RuleIn, await withMailboxId(c, request));
        const run = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => createRule(ctx, input));
        return showSaved(c, await run, "created");
      },
      (refusal) => showForm(c, form, refusal),
    );
  })
  .get("/app/forwarding/filters", ...pageFor("PUT /v1/mailboxes/:mailbox_id/assignees"), async (c) => {
    const caller = c.get("caller");
    const { found, next } = await listMakerlessFilters(caller, c.req.query("after"));
    const path = next && `/app/forwarding/filters?${new URLSearchParams({ after: next })}`;
    return respondPage(c, <MakerlessFiltersPage caller={caller} found={found} next={path} />);
  })
  .get("/app/forwarding/:rule_id", ...pageFor("GET /v1/forwarding-rules/:rule_id"), (c) => showRule(c))
  .post("/app/forwarding/:rule_id", ...pageFor(UPDATE), async (c) => {
    const form = readRuleForm(await readForm(c));
    return submitForm(
      c,
      async () => {
        const [caller, id] = [c.get("caller"), c.req.param("rule_id")];
        const request = await withMailboxId(c, toRulePatch(form));
        const patch = parseFields(RulePatch, request);
        const stored = toRuleForm(toRule(await getRule(caller, id)));
        requireVersion(form.version, valuesOf(stored), valuesOf({ ...form, target: request.action.target }));
        return showSaved(c, await updateRule(caller, id, patch), "saved");
      },
      (refusal) => showRule(c, { refusal, form }),
    );
  })
  .post("/app/forwarding/:rule_id/enable", ...pageFor(UPDATE), (c) => setActive(c, true))
  .post("/app/forwarding/:rule_id/disable", ...pageFor(UPDATE), (c) => setActive(c, false))
  .get("/app/forwarding/:rule_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, target } = await getRule(c.get("caller"), c.req.param("rule_id"));
    const back = `/app/forwarding/${id}`;
    return respondPage(
      c,
      <ConfirmPage
        title="Delete this rule?"
        caller={c.get("caller")}
        button="Delete rule"
        back={back}
        at="/app/forwarding"
      >
        Nothing more is forwarded to <span class="code">{target}</span> by it. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/forwarding/:rule_id/delete", ...pageFor(DELETE), async (c) => {
    await deleteRule(c.get("caller"), c.req.param("rule_id"));
    return c.redirect("/app/forwarding?done=deleted", 303);
  });

/** Leads to the page of a rule, or shows the secret that the call made. */
const showSaved = (c: Context<AppEnv>, rule: RuleOut, done: string) =>
  rule.secret === undefined
    ? `/app/forwarding/${rule.id}?done=${done}`
    : respondPage(c, <RuleSecretPage caller={c.get("caller")} rule={rule} secret={rule.secret} />);

/** A mailbox may be written as its address; the API takes its id. */
async function withMailboxId<Fields extends { action: { type: string; target: string } }>(
  c: Context<AppEnv>,
  fields: Fields,
): Promise<Fields> {
  const { type, target } = fields.action;
  if (type !== "mailbox") return fields;
  const { names } = await findChoices(c.get("caller"));
  const id = [...names].find(([, name]) => name === target)?.[0] ?? target;
  return { ...fields, action: { type, target: id } };
}

function setActive(c: Context<AppEnv>, isActive: boolean) {
  const id = c.req.param("rule_id") ?? "";
  return submitForm(
    c,
    async () => {
      await updateRule(c.get("caller"), id, { is_active: isActive });
      return `/app/forwarding/${id}?done=${isActive ? "enabled" : "disabled"}`;
    },
    (refusal) => showRule(c, { refusal }),
  );
}

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

async function showForm(c: Context<AppEnv>, form: RuleForm & { idempotencyKey: string }, refusal?: Refusal) {
  const caller = c.get("caller");
  const { scopes } = await findChoices(caller);
  const page = <NewRulePage caller={caller} form={form} scopes={scopes} refusal={refusal && withFormErrors(refusal)} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

const withFormErrors = (refusal: Refusal): Refusal => ({ ...refusal, errors: toRuleErrors(refusal.errors) });

async function showRule(c: Context<AppEnv>, { refusal, form }: { refusal?: Refusal; form?: RuleForm } = {}) {
  const caller = c.get("caller");
  const [row, { names }] = await Promise.all([getRule(caller, c.req.param("rule_id") ?? ""), findChoices(caller)]);
  const rule = toRule(row);
  const shown = toRuleForm(rule);
  const target = rule.action.type === "mailbox" ? (names.get(shown.target) ?? shown.target) : shown.target;
  const page = (
    <RulePage
      caller={caller}
      rule={rule}
      names={names}
      form={form ?? { ...shown, target }}
      notice={refusal ? undefined : notices[c.req.query("done") ?? ""]}
      refusal={refusal && withFormErrors(refusal)}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
