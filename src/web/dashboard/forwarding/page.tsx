import {
  AppLayout,
  ButtonLine,
  ButtonLink,
  type Choice,
  Empty,
  Facts,
  Form,
  List,
  Notice,
  PostButton,
  Status,
  Time,
  useCaller,
  useScope,
  VersionField,
} from "../../../http/ui/index.ts";
import { versionOf } from "../../../lib/form-version.ts";
import type { RuleOut } from "../../../mailboxes/forwarding-rules/index.ts";
import { mayManage as mayManageMailboxes } from "../../../mailboxes/mailboxes/index.ts";
import { RuleFields, toRuleForm, valuesOf } from "./form.tsx";

/** Names of domains and mailboxes by their ids, for readers. */
export type Names = ReadonlyMap<string, string>;

const mayManage = () => useScope("domains:manage");

/** The forwarding rules of the workspace, in the order in which they are applied. */
export const RulesPage = ({ rules, names }: { rules: readonly RuleOut[]; names: Names }) => (
  <AppLayout
    title="Forwarding"
    actions={mayManage() ? <ButtonLink to="/app/forwarding/new" label="New rule" icon="plus" /> : null}
  >
    <List
      caption="Forwarding rules"
      columns={["Place", "Status", "Mail to", "Condition", "Copy to"]}
      empty={
        <Empty
          action={mayManage() ? { href: "/app/forwarding/new", label: "Create a rule" } : undefined}
          command={{ path: "/v1/forwarding-rules/", body: "@rule.json" }}
        >
          No rule yet. A rule sends a copy of received mail to an address, a mailbox or a URL.
        </Empty>
      }
      rows={rules.map((rule) => [
        rule.position,
        <Status word={statusOf(rule)} />,
        <a href={`/app/forwarding/${rule.id}`}>{scopeOf(rule, names)}</a>,
        conditionOf(rule),
        targetOf(rule, names),
      ])}
    />
    {mayManageMailboxes(useCaller().actor) ? (
      <p class="soft">
        Filters of mailboxes forward too. <a href="/app/forwarding/all">All forwards</a> are on one page.
      </p>
    ) : null}
  </AppLayout>
);

export const statusOf = ({ is_active, is_confirmed }: RuleOut) =>
  is_active ? (is_confirmed ? "active" : "unconfirmed") : "off";

export const scopeOf = ({ domain_id, mailbox_id }: RuleOut, names: Names) =>
  mailbox_id === null ? `all of ${names.get(domain_id) ?? "a domain"}` : (names.get(mailbox_id) ?? "a mailbox");

function conditionOf({ match }: RuleOut): string {
  const parts = [
    ["from", match.from],
    ["to", match.to],
    ["subject contains", match.subject_contains],
  ].flatMap(([name, value]) => (value ? [`${name} ${value}`] : []));
  return parts.length === 0 ? "every email" : parts.join(", ");
}

export const targetOf = ({ action: { type, target } }: RuleOut, names: Names) =>
  type === "mailbox" ? (names.get(target) ?? target) : target;

/** The page that creates a rule. */
export const NewRulePage = ({ scopes }: { scopes: readonly Choice[] }) => (
  <AppLayout title="New forwarding rule">
    {scopes.length === 0 ? (
      <Empty action={{ href: "/app/domains", label: "Add a domain", isMain: true }}>
        Mail to your domains is forwarded, and this workspace has no domain yet.
      </Empty>
    ) : (
      <Form class="form" action="/app/forwarding/new" once>
        <RuleFields scopes={scopes} />
        <p>
          <button type="submit">Create rule</button>
        </p>
      </Form>
    )}
  </AppLayout>
);

/** One rule: its state, and the form that changes it. */
export function RulePage({ rule, names }: { rule: RuleOut; names: Names }) {
  const path = `/app/forwarding/${rule.id}`;
  const form = toRuleForm(rule);
  return (
    <AppLayout title="Forwarding rule" actions={mayManage() ? <Actions path={path} rule={rule} /> : null}>
      {rule.is_confirmed ? null : (
        <Notice kind="warn">
          {rule.action.target} has not confirmed yet, so nothing is forwarded to it. It got a link by mail; saving the
          rule sends a new one when that is older than an hour.
        </Notice>
      )}
      <Facts
        of={{
          Status: <Status word={statusOf(rule)} />,
          "Mail to": scopeOf(rule, names),
          Condition: conditionOf(rule),
          "Copy to": targetOf(rule, names),
          Changed: <Time at={rule.updated_at} />,
        }}
      />
      {mayManage() ? (
        <>
          <h2>Change</h2>
          <Form class="form" action={path}>
            <VersionField version={versionOf(valuesOf(form))} />
            <RuleFields form={{ ...form, target: targetOf(rule, names) }} />
            <p>
              <button type="submit">Save</button>
            </p>
          </Form>
        </>
      ) : null}
    </AppLayout>
  );
}

const Actions = ({ path, rule }: { path: string; rule: RuleOut }) => (
  <>
    <PostButton
      to={`${path}/${rule.is_active ? "disable" : "enable"}`}
      label={rule.is_active ? "Switch off" : "Switch on"}
      kind="quiet"
    />
    <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" />
  </>
);

/** The response that shows the secret of a rule that posts to a URL: the only page that does. */
export const RuleSecretPage = ({ rule, secret }: { rule: RuleOut; secret: string }) => (
  <AppLayout title="The secret of the rule">
    <Notice kind="warn">Copy the secret now. It is not shown again.</Notice>
    <Facts of={{ URL: rule.action.target, Secret: { code: secret, copy: "the secret" } }} />
    <p>Requests to the URL are signed with it, as those of webhooks are.</p>
    <ButtonLine to={`/app/forwarding/${rule.id}`} label="I have copied it" />
  </AppLayout>
);
