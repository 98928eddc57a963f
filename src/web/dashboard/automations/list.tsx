import type { Child } from "hono/jsx";
import type { AutomationOut } from "../../../audience/automations/index.ts";
import { AppLayout, Empty, Field, FormDialog, List, Status, Time, useScope } from "../../../http/ui/index.ts";

import { SERVICE_EVENTS } from "../../../platform/person-events/rules.ts";
import { KnownNames } from "../conditions/index.ts";

/** The event that most automations begin with: a person has confirmed a list. */
const USUAL_EVENT = "contact.confirmed";

/** Returns whether the caller may change automations. */
export const mayManage = (): boolean => useScope("automations:manage");

/** The automations of the workspace, and the dialog that creates one. */
export const AutomationsPage = ({ automations }: { automations: readonly AutomationOut[] }) => (
  <AppLayout title="Automations" actions={mayManage() ? <CreateDialog /> : null}>
    <AutomationList
      of={automations.filter(({ status }) => status !== "archived")}
      caption="Automations"
      empty={
        <Empty command={{ path: "/v1/automations/", body: { name: "Welcome", trigger: { event: USUAL_EVENT } } }}>
          No automation yet. An automation sends a series of emails, and does more, for each person who causes an event.
        </Empty>
      }
    />
    {automations.some(({ status }) => status === "archived") ? (
      <details>
        <summary>Archived</summary>
        <AutomationList of={automations.filter(({ status }) => status === "archived")} caption="Archived automations" />
      </details>
    ) : null}
  </AppLayout>
);

const AutomationList = ({ of, ...list }: { of: readonly AutomationOut[]; caption: string; empty?: Child }) => (
  <List
    {...list}
    columns={["Automation", "Status", "Begins with", "Inside", "Completed", "Changed"]}
    rows={of.map(({ id, name, status, trigger, counters, updated_at }) => [
      <a href={`/app/automations/${id}`}>{name}</a>,
      <Status word={status} />,
      trigger.event,
      counters.active.toLocaleString("en"),
      counters.completed.toLocaleString("en"),
      <Time at={updated_at} />,
    ])}
  />
);

const CreateDialog = () => (
  <FormDialog label="New automation" icon="plus" action="/app/automations" once button="Create automation">
    <Field name="name" label="Name" maxlength={200} />
    <KnownNames of={{ fields: [], events: SERVICE_EVENTS }} />
    <Field
      name="event"
      label="Begins with the event"
      hint="One of your own, or contact.confirmed, contact.added, topic.subscribed, email.clicked and others."
      value={USUAL_EVENT}
      list="known-events"
      maxlength={64}
    />
  </FormDialog>
);
