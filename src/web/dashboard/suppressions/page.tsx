import { fieldsOf } from "../../../http/form-fields.tsx";
import {
  AppLayout,
  ButtonLink,
  Empty,
  FindForm,
  FormDialog,
  List,
  PostLink,
  Time,
  useScope,
} from "../../../http/ui/index.ts";
import { SuppressionIn, type SuppressionOut } from "../../../sending/suppressions/index.ts";

const { Field } = fieldsOf(SuppressionIn);

interface SuppressionsPageProps {
  suppressions: readonly (SuppressionOut & { topicName: string | null })[];
  search: string;
}

const REASONS: Readonly<Record<string, string>> = {
  bounce: "Bounced",
  complaint: "Marked as spam",
  manual: "By hand",
  soft_bounces: "Soft bounces in a row",
  unsubscribe: "Unsubscribed",
};

/** The addresses that get no email, with search, and the dialog that adds one. */
export function SuppressionsPage({ suppressions, search }: SuppressionsPageProps) {
  const mayManage = useScope("contacts:manage");
  return (
    <AppLayout title="Suppressions" actions={mayManage ? <Actions /> : null}>
      <FindForm action="/app/suppressions" name="address" label="Find an address" value={search} />
      <List
        caption="Suppressions"
        columns={["Address", "Reason", "Since", mayManage && "Action"]}
        empty={<NoSuppressions search={search} />}
        rows={suppressions.map(({ email, reason, topic_id, topicName, created_at }) => [
          email,
          topicName === null ? (REASONS[reason] ?? reason) : `Unsubscribed from ${topicName}`,
          <Time at={created_at} />,
          <RemoveForm email={email} reason={reason} topicId={topic_id} />,
        ])}
      />
    </AppLayout>
  );
}

const Actions = () => (
  <>
    <AddDialog />
    <ButtonLink to="/app/suppressions/import" label="Import a file" kind="quiet" icon="upload" />
  </>
);

const AddDialog = () => (
  <FormDialog label="Suppress an address" icon="plus" action="/app/suppressions" once button="Suppress">
    <Field name="email" label="Address" />
  </FormDialog>
);

const NoSuppressions = ({ search }: { search: string }) =>
  search === "" ? (
    <Empty>
      No address is suppressed. Addresses get here by a bounce, soft bounces in a row (bulk mail only), a complaint, an
      unsubscription, or by hand.
    </Empty>
  ) : (
    <Empty action={{ href: "/app/suppressions", label: "Show all addresses" }}>{search} is not suppressed.</Empty>
  );

interface Entry {
  email: string;
  reason: string;
  topicId: string | null;
}

/** The entry that was just removed. It can be put back, but one of soft bounces: only bounces make it. */
export const Removed = (entry: Entry) => (
  <>
    {entry.topicId === null ? `${entry.email} gets email again.` : `The unsubscribe of ${entry.email} is removed.`}{" "}
    {entry.reason === "soft_bounces" ? null : (
      <PostLink to="/app/suppressions" label="Undo" once fields={toFields(entry)} />
    )}
  </>
);

const RemoveForm = (entry: Entry) => (
  <PostLink to="/app/suppressions/remove" label="Remove" name={`Remove ${entry.email}`} fields={toFields(entry)} />
);

const toFields = ({ email, reason, topicId }: Entry) => ({ email, reason, ...(topicId ? { topic_id: topicId } : {}) });
