import type { CallerCtx } from "../../../access/caller.ts";
import type { AutomationOut } from "../../../audience/automations/index.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Empty, Field, Form, Layout, List, Pager, Status, Time } from "../../../http/ui/index.ts";
import { curlLine } from "../curl-line.ts";

/** The event that most automations begin with: a person has confirmed a list. */
export const USUAL_EVENT = "contact.confirmed";

/** The fields of the form of a new automation, as they were filled in. */
export interface NewForm {
  name: string;
  event: string;
  idempotencyKey: string;
}

interface ListProps {
  caller: CallerCtx;
  automations: readonly AutomationOut[];
  next: string | null;
  form: NewForm;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** Returns whether the caller may change automations. */
export const mayManage = ({ actor }: CallerCtx): boolean => actor.scopes.has("automations:manage");

/** The automations of the workspace, and the dialog that creates one. */
export const AutomationsPage = ({ caller, automations, next, form, notice, refusal }: ListProps) => (
  <Layout
    title="Automations"
    caller={caller}
    at="/app/automations"
    actions={mayManage(caller) ? <CreateDialog form={form} refusal={refusal} /> : null}
    notice={notice}
  >
    {automations.length === 0 ? (
      <Empty command={curlLine(caller, "/v1/automations/", { name: "Welcome", trigger: { event: USUAL_EVENT } })}>
        No automation yet. An automation sends a series of emails, and does more, for each person who causes an event.
      </Empty>
    ) : (
      <List
        caption="Automations"
        columns={["Automation", "Status", "Begins with", "Inside", "Completed", "Changed"]}
        rows={automations.map(({ id, name, status, trigger, counters, updated_at }) => [
          <a href={`/app/automations/${id}`}>{name}</a>,
          <Status word={status} />,
          trigger.event,
          counters.active.toLocaleString("en"),
          counters.completed.toLocaleString("en"),
          <Time at={updated_at} />,
        ])}
      />
    )}
    <Pager next={next} />
  </Layout>
);

const CreateDialog = ({ form, refusal }: Pick<ListProps, "form" | "refusal">) => (
  <Dialog label="New automation" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/automations" once={form.idempotencyKey} refusal={refusal}>
      <Field name="name" label="Name" value={form.name} errors={refusal?.errors} maxlength={200} />
      <Field
        name="event"
        label="Begins with the event"
        hint="One of your own, or contact.confirmed, contact.added, topic.subscribed, email.clicked and others."
        value={form.event}
        errors={refusal?.errors}
        maxlength={64}
      />
      <button type="submit">Create automation</button>
    </Form>
  </Dialog>
);
