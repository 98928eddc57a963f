import type { ListOut } from "../../../audience/contacts/index.ts";
import { Empty, ErrorSummary, Field, Select, VersionField } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import { StepButtons, StepPage } from "./step-page.tsx";
import type { FormStepProps } from "./step-props.tsx";

interface AudienceStepProps extends FormStepProps {
  senders: readonly MailboxRow[];
  lists: readonly ListOut[];
}

/** The first step: who sends the broadcast, and who gets it. It creates a new broadcast. */
export function AudienceStep({ caller, broadcast, form, senders, lists, done, refusal }: AudienceStepProps) {
  const { name = "", from_address: from = "", contact_list_id: list = "" } = form.values;
  const errors = refusal?.errors;
  const addresses = senders.map(({ address }) => address);
  return (
    <StepPage step="audience" {...{ caller, broadcast, done }}>
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox", isMain: true }}>
          A broadcast is sent from a mailbox.
        </Empty>
      ) : (
        <form class="form" method="post">
          <ErrorSummary refusal={refusal} />
          <input type="hidden" name="idempotency_key" value={form.idempotencyKey} />
          <VersionField version={form.version} refusal={refusal} />
          <Field name="name" label="Name" hint="Recipients do not see this." value={name} errors={errors} />
          <Select
            name="contact_list_id"
            label="Audience"
            hint={
              lists.length === 0 ? (
                <>
                  No list yet. <a href="/app/contacts">Import your contacts</a>; you can write the content meanwhile.
                </>
              ) : undefined
            }
            value={list}
            errors={errors}
            options={[
              { value: "", label: "Choose a list" },
              ...lists.map(({ id, name: label, contact_count: contacts }) => ({
                value: id,
                label: `${label} (${contacts})`,
              })),
            ]}
          />
          <Select
            name="from_address"
            label="From"
            value={from}
            errors={errors}
            options={[...(from && !addresses.includes(from) ? [from] : []), ...addresses].map((address) => ({
              value: address,
              label: address,
            }))}
          />
          <StepButtons hasBack={false} />
        </form>
      )}
    </StepPage>
  );
}
