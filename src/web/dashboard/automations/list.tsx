import type { AutomationOut } from "../../../audience/automations/index.ts";
import { AppLayout, Empty, Field, FormDialog, List, Status, Time, useScope } from "../../../http/ui/index.ts";

/** The event that most automations begin with: a person has confirmed a list. */
const USUAL_EVENT = "contact.confirmed";

/** Returns whether the caller may change automations. */
export const mayManage = (): boolean => useScope("automations:manage");

/** The automations of the workspace, and the dialog that creates one. */
export const AutomationsPage = ({ automations }: { automations: readonly AutomationOut[] }) => (
  <AppLayout title="Automations" actions={mayManage() ? <CreateDialog /> : null}>
    <List
      caption="Automations"
      columns={["Automation", "Status", "Begins with", "Inside", "Completed", "Changed"]}
      empty={
        <Empty command={{ path: "/v1/automations/", body: { name: "Welcome", trigger: { event: USUAL_EVENT } } }}>
          No automation yet. An automation sends a series of emails, and does more, for each person who causes an event.
        </Empty>
      }
      rows={automations.map(({ id, name, status, trigger, counters, updated_at }) => [
        <a href={`/app/automations/${id}`}>{name}</a>,
        <Status word={status} />,
        trigger.event,
        counters.active.toLocaleString("en"),
        counters.completed.toLocaleString("en"),
        <Time at={updated_at} />,
      ])}
    />
  </AppLayout>
);

const CreateDialog = () => (
  <FormDialog label="New automation" icon="plus" action="/app/automations" once button="Create automation">
    <Field name="name" label="Name" maxlength={200} />
    <Field
      name="event"
      label="Begins with the event"
      hint="One of your own, or contact.confirmed, contact.added, topic.subscribed, email.clicked and others."
      value={USUAL_EVENT}
      maxlength={64}
    />
  </FormDialog>
);
