import type { BroadcastOut } from "../../../audience/broadcasts/index.ts";
import type { ListOut } from "../../../audience/contacts/index.ts";
import type { SegmentRow } from "../../../audience/segments/index.ts";
import { CheckGroup, Empty, Field, Form, Select, VersionField } from "../../../http/ui/index.ts";
import type { MailboxRow } from "../../../mailboxes/mailboxes/index.ts";
import type { TopicRow } from "../../../sending/topics/index.ts";
import { SegmentSelect } from "../segment-select.tsx";
import { TopicSelect } from "../topic-select.tsx";
import type { StepForm } from "./step-form.tsx";
import { StepButtons, StepPage, type StepProps } from "./step-page.tsx";

/** Without a broadcast it is the step of a new one. */
interface AudienceStepProps extends StepProps<BroadcastOut | null> {
  form: StepForm;
  senders: readonly MailboxRow[];
  lists: readonly ListOut[];
  topics: readonly TopicRow[];
  segments: readonly SegmentRow[];
}

/** The first step: who sends the broadcast, and who gets it. It creates a new broadcast. */
export function AudienceStep(props: AudienceStepProps) {
  const { broadcast, form, senders, lists, topics, segments, done } = props;
  const { name = "", from_address: from = "", contact_list_id: list = "" } = form.values;
  const { more_contact_list_ids: further = "", topic_id: topic = "", segment_id: segment = "" } = form.values;
  const addresses = senders.map(({ address }) => address);
  return (
    <StepPage step="audience" broadcast={broadcast} done={done}>
      {senders.length === 0 ? (
        <Empty action={{ href: "/app/mailboxes", label: "Create a mailbox", isMain: true }}>
          A broadcast is sent from a mailbox.
        </Empty>
      ) : (
        <Form class="form" once>
          <VersionField version={form.version} />
          <Field name="name" label="Name" hint="Recipients do not see this." value={name} />
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
            none="Choose a list"
            options={lists.map((one) => ({ value: one.id, label: `${one.name} (${one.contact_count})` }))}
          />
          <FurtherLists lists={lists} chosen={further.split(",")} />
          <SegmentSelect segments={segments} value={segment} />
          <TopicSelect topics={topics} value={topic} />
          <Select
            name="from_address"
            label="From"
            value={from}
            options={[...(from && !addresses.includes(from) ? [from] : []), ...addresses]}
          />
          <StepButtons hasBack={false} />
        </Form>
      )}
    </StepPage>
  );
}

/** Lists that the page offers beside the first, so that it stays small. Those that are chosen are always among them. */
const MAX_OFFERED = 50;

/** The lists that get the broadcast too. None is shown when there is only one list. */
function FurtherLists({ lists, chosen }: Pick<AudienceStepProps, "lists"> & { chosen: readonly string[] }) {
  if (lists.length < 2) return null;
  const isChosen = ({ id }: ListOut) => chosen.includes(id);
  const offered = [...lists.filter(isChosen), ...lists.filter((list) => !isChosen(list))].slice(0, MAX_OFFERED);
  return (
    <details open={lists.some(isChosen)}>
      <summary>Send to further lists</summary>
      <CheckGroup
        id="more_contact_list_ids"
        name="more_contact_list_ids"
        legend="A person who is in several lists gets one email."
        options={offered.map(({ id: value, name: label }) => ({ value, label }))}
        chosen={chosen}
      />
    </details>
  );
}
