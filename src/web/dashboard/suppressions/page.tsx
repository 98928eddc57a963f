import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { Dialog, Empty, Field, Form, Layout, List, Pager, PostButton, Time } from "../../../http/ui/index.ts";
import type { SuppressionOut } from "../../../sending/suppressions/index.ts";

interface SuppressionsPageProps {
  caller: CallerCtx;
  suppressions: readonly (SuppressionOut & { topicName: string | null })[];
  /** The address that is searched for. */
  search: string;
  /** The form that adds an address. */
  form: { email: string; idempotencyKey: string };
  next: string | null;
  notice?: string | undefined;
  /** The entry that was just removed. It can be put back, but one of soft bounces: only bounces make it. */
  removed?: { email: string; reason: string; topicId: string | null } | undefined;
  refusal?: Refusal | undefined;
}

/** The addresses that get no email, with search, and the dialog that adds one. */
export function SuppressionsPage(props: SuppressionsPageProps) {
  const { caller, suppressions, search, form, next, removed, refusal } = props;
  const mayManage = caller.actor.scopes.has("contacts:manage");
  return (
    <Layout
      title="Suppressions"
      caller={caller}
      at="/app/suppressions"
      actions={mayManage ? <AddDialog {...{ form, refusal }} /> : null}
      notice={removed ? <Removed {...removed} /> : props.notice}
    >
      <Form class="filter" method="get" action="/app/suppressions">
        <Field name="address" label="Find an address" type="search" required={false} value={search} />
        <button type="submit">Find</button>
      </Form>
      {suppressions.length === 0 ? (
        <NoSuppressions search={search} />
      ) : (
        <List
          caption="Suppressions"
          columns={["Address", "Reason", "Since", ...(mayManage ? ["Action"] : [])]}
          rows={suppressions.map(({ email, reason, topic_id, topicName, created_at }) => [
            email,
            topicName === null ? reason : `${reason} from ${topicName}`,
            <Time at={created_at} />,
            ...(mayManage ? [<RemoveForm email={email} reason={reason} topicId={topic_id} />] : []),
          ])}
        />
      )}
      <Pager next={next} label="More" />
    </Layout>
  );
}

const AddDialog = ({ form, refusal }: Pick<SuppressionsPageProps, "form" | "refusal">) => (
  <Dialog label="Suppress an address" icon="plus" isOpen={refusal !== undefined}>
    <Form action="/app/suppressions" once={form.idempotencyKey} refusal={refusal}>
      <Field name="email" label="Address" value={form.email} errors={refusal?.errors} maxlength={254} />
      <button type="submit">Suppress</button>
    </Form>
  </Dialog>
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

const Removed = ({ email, reason, topicId }: NonNullable<SuppressionsPageProps["removed"]>) => (
  <>
    {topicId === null ? `${email} gets email again.` : `The unsubscribe of ${email} is removed.`}{" "}
    {reason === "soft_bounces" ? null : (
      <PostButton
        to="/app/suppressions"
        label="Undo"
        kind="link"
        fields={{ idempotency_key: crypto.randomUUID(), email, reason, ...(topicId ? { topic_id: topicId } : {}) }}
      />
    )}
  </>
);

const RemoveForm = ({ email, reason, topicId }: NonNullable<SuppressionsPageProps["removed"]>) => (
  <PostButton
    to="/app/suppressions/remove"
    label="Remove"
    kind="link"
    name={`Remove ${email}`}
    fields={{ email, reason, ...(topicId ? { topic_id: topicId } : {}) }}
  />
);
