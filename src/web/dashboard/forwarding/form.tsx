import { Check, type Choice, Field, Select } from "../../../http/ui/index.ts";
import type { FormValues } from "../../../lib/form-version.ts";
import type { actionTypes, RuleOut } from "../../../mailboxes/forwarding-rules/index.ts";

/** The fields of a forwarding rule, as they were filled in. */
type RuleForm = ReturnType<typeof readRuleForm>;

/** Reads the fields of a submitted form. */
export function readRuleForm(form: URLSearchParams) {
  const field = (name: string) => form.get(name)?.trim() ?? "";
  return {
    from: field("from"),
    to: field("to"),
    subject: field("subject"),
    type: field("type"),
    target: field("target"),
    position: field("position"),
    isActive: form.get("is_active") === "on",
  };
}

const newRuleForm = readRuleForm(new URLSearchParams({ type: "address", is_active: "on" }));

/** Returns the form of a rule that exists. */
export const toRuleForm = ({ match, action, position, is_active }: RuleOut): RuleForm => ({
  from: match.from ?? "",
  to: match.to ?? "",
  subject: match.subject_contains ?? "",
  type: action.type,
  target: action.target,
  position: String(position),
  isActive: is_active,
});

/** Returns what the form of a rule that exists shows and changes, by label. The target of a mailbox is its id. */
export const valuesOf = ({ from, to, subject, type, target, position, isActive }: RuleForm): FormValues => ({
  From: from,
  To: to,
  "Subject contains": subject,
  "Send a copy to": `${type} ${target}`,
  "Place in the order": position,
  "The rule is active": isActive ? "yes" : "no",
});

/** Returns the fields of the API call that changes a rule. */
export const toRulePatch = ({ from, to, subject, type, target, position, isActive }: RuleForm) => ({
  match: { from: from || null, to: to || null, subject_contains: subject || null },
  action: { type, target },
  is_active: isActive,
  ...(position === "" ? {} : { position: Number(position) }),
});

/** Returns the fields of the API call that creates a rule. `scope`: `domain:` or `mailbox:` and an id, whose mail is forwarded. */
export function toRuleRequest(form: RuleForm, scope: string) {
  const [kind, id] = scope.split(":");
  return { ...toRulePatch(form), ...(kind === "mailbox" ? { mailbox_id: id } : { domain_id: id }) };
}

const FIELDS: Readonly<Record<string, string>> = {
  action: "target",
  match: "from",
  domain_id: "scope",
  mailbox_id: "scope",
};

/** Returns the field of the form that an error of an API call is about. */
export const fieldOf = ([, name = ""]: readonly (string | number)[]): string => FIELDS[name] ?? String(name);

const TYPES: Readonly<Record<(typeof actionTypes)[number], string>> = {
  address: "An email address",
  mailbox: "A mailbox of this workspace",
  webhook: "A URL, as a signed POST",
};

/** The fields of a new rule, or of one that exists when `scopes` is absent. */
export const RuleFields = ({ form = newRuleForm, scopes }: { form?: RuleForm; scopes?: readonly Choice[] }) => (
  <>
    {scopes ? <Select name="scope" label="Forward mail to" options={scopes} /> : null}
    <fieldset>
      <legend>Only emails that match all of these</legend>
      <Field
        name="from"
        label="From"
        required={false}
        hint="An address, or @ and a domain."
        placeholder="@example.org"
        value={form.from}
        maxlength={998}
      />
      <Field
        name="to"
        label="To"
        required={false}
        hint="Compared with the recipients, To and Cc."
        value={form.to}
        maxlength={998}
      />
      <Field name="subject" label="Subject contains" required={false} value={form.subject} maxlength={998} />
    </fieldset>
    <Select name="type" label="Send a copy to" options={TYPES} value={form.type} />
    <Field
      name="target"
      label="Address, mailbox or URL"
      hint="An address outside of this workspace gets a link, and no mail before it has confirmed."
      value={form.target}
      maxlength={2048}
    />
    <Field
      name="position"
      label="Place in the order"
      required={false}
      inputmode="numeric"
      hint="Rules are applied from the lowest number up. Empty: at the end."
      value={form.position}
    />
    <Check name="is_active" label="The rule is active." checked={form.isActive} />
  </>
);
