import { Field, Select } from "../../../http/ui/index.ts";
import { type BlocksChange, ContentFields, type WrittenContent } from "../blocks/index.ts";
import { ConditionFields, type DraftGroup } from "../conditions/index.ts";
import type { Choices } from "./choices.ts";
import { type StepValues, UNITS } from "./step-fields.ts";

export interface StepFieldsProps {
  kind: string;
  values: StepValues;
  /** Of an email. */
  content: WrittenContent;
  change: BlocksChange | undefined;
  choices: Choices;
  /** Of the field that the kind has for conditions. */
  draft: DraftGroup;
}

const EVENTS = { list: "known-events" };

/** The fields of one kind of step. */
export function StepFields({ kind, values, content, change, choices, draft }: StepFieldsProps) {
  const text = (name: string, label: string, hint?: string, required = true, more: { list?: string } = {}) => (
    <Field
      name={name}
      label={label}
      required={required}
      {...more}
      {...(hint ? { hint } : {})}
      value={values[name] ?? ""}
    />
  );
  const choose = (name: string, label: string, options: Parameters<typeof Select>[0]["options"], none?: string) => (
    <Select name={name} label={label} value={values[name] ?? ""} options={options} none={none} />
  );
  switch (kind) {
    case "send_email":
      return (
        <>
          {choose("mailbox_id", "From", choices.mailboxes)}
          {choose("template_id", "Template", choices.templates, "None: the subject and content below")}
          {text("subject", "Subject", "Without a template.", false)}
          <ContentFields content={content} change={change} hint="Link to {{unsubscribe_url}}, or a link is added." />
          {choose("topic_id", "Topic", choices.topics, "None")}
        </>
      );
    case "wait":
      return <Duration values={values} label="Wait for" />;
    case "wait_until":
      return (
        <>
          {text("time", "Time", "Hours and minutes in the person's zone, such as 09:00.")}
          {text("weekdays", "Weekdays", "Numbers from 1 for Monday to 7, with commas. Empty: every day.", false)}
        </>
      );
    case "wait_for_event":
      return (
        <>
          {text("event", "Event", "An event of your own, or a built-in one such as email.clicked.", true, EVENTS)}
          <Duration values={values} label="At most" />
          <ConditionFields
            name="filter"
            legend="Conditions on the event"
            draft={draft}
            hasEvent
            hint="Without a condition, every event of this name is the one."
            choices={choices.conditions}
          />
        </>
      );
    case "branch":
      return <ConditionFields name="when" legend="Conditions" draft={draft} hasEvent choices={choices.conditions} />;
    case "split":
      return text("percent", "Percent", "Share of the runs that go on with the first branch.");
    case "set_field":
      return (
        <>
          {text("field", "Field", "`name`, or a key of the metadata.", true, { list: "known-fields" })}
          {text("value", "Value", "Empty: the field is cleared.", false)}
        </>
      );
    case "add_to_list":
    case "remove_from_list":
      return choose("list_id", "List", choices.lists);
    case "change_topic":
      return (
        <>
          {choose("topic_id", "Topic", choices.topics)}
          {choose("subscribed", "The person is", {
            true: "Subscribed, unless they have left the topic",
            even_if_left: "Subscribed, also when they have left it",
            false: "Not subscribed",
          })}
        </>
      );
    case "webhook":
      return choose("webhook_id", "Webhook", choices.webhooks);
    case "notify":
      return text("message", "Message");
    default:
      return <p class="hint">The run ends here.</p>;
  }
}

const Duration = ({ values, label }: { values: StepValues; label: string }) => (
  <>
    <Field name="count" label={label} type="number" value={values.count ?? "1"} />
    <Select name="unit" label="Unit" value={values.unit ?? "hours"} options={UNITS} />
  </>
);
