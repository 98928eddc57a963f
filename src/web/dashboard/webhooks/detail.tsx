import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import {
  ButtonLink,
  Chips,
  Empty,
  ErrorSummary,
  Facts,
  Form,
  Layout,
  List,
  Live,
  Notice,
  Pager,
  PostButton,
  Status,
  Time,
  VersionField,
} from "../../../http/ui/index.ts";
import {
  DELIVERY_DAYS,
  type DeliveryItemOut,
  deliveryStatuses,
  NOT_LIVE,
  type WebhookOut,
} from "../../../notices/webhooks/index.ts";
import { mayManage, namesOf, statusOf, WebhookFields, type WebhookForm } from "./list.tsx";

export interface Deliveries {
  rows: readonly DeliveryItemOut[];
  total: number;
  /** The status that the list is filtered by; empty: none. */
  status: string;
  /** URL of the next page; null: this is the last one. */
  next: string | null;
}

interface WebhookPageProps {
  caller: CallerCtx;
  webhook: WebhookOut;
  deliveries: Deliveries;
  /** The fields of the form that changes it, and the version that it began from. */
  form: WebhookForm & { version: string };
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** One webhook: its state, its deliveries, and the form that changes it. */
export function WebhookPage({ caller, webhook, deliveries, form, notice, refusal }: WebhookPageProps) {
  const path = `/app/webhooks/${webhook.id}`;
  const manages = mayManage(caller);
  return (
    <Layout
      title="Webhook"
      caller={caller}
      at="/app/webhooks"
      actions={manages ? <Actions path={path} webhook={webhook} /> : null}
      notice={notice}
    >
      <ErrorSummary refusal={refusal} />
      {caller.settings.liveWebhooks ? null : <Notice kind="warn">{NOT_LIVE}</Notice>}
      <Facts
        of={{
          URL: webhook.url,
          Status: <Status word={statusOf(webhook)} />,
          Events: namesOf(webhook.events),
          Secret: { code: webhook.secret },
          Created: <Time at={webhook.created_at} />,
        }}
      />
      <h2>Deliveries</h2>
      <DeliveryList path={path} deliveries={deliveries} />
      {manages ? (
        <>
          <h2>Change</h2>
          <Form class="form" action={path}>
            <VersionField version={form.version} refusal={refusal} />
            <WebhookFields url={form.url} events={form.events} errors={refusal?.errors} />
            <button class="quiet" type="submit">
              Save
            </button>
          </Form>
        </>
      ) : null}
    </Layout>
  );
}

const Actions = ({ path, webhook }: { path: string; webhook: WebhookOut }) => (
  <>
    <PostButton to={`${path}/test`} label="Send a test" fields={{ idempotency_key: crypto.randomUUID() }} />
    {webhook.is_active ? (
      <PostButton to={`${path}/pause`} label="Pause" kind="quiet" />
    ) : (
      <PostButton to={`${path}/resume`} label="Resume" kind="quiet" />
    )}
    <ButtonLink to={`${path}/rotate`} label="New secret" kind="quiet" />
    <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" />
  </>
);

function DeliveryList({ path, deliveries }: { path: string; deliveries: Deliveries }) {
  const { rows, total, status, next } = deliveries;
  return (
    <>
      <Chips
        label="Status of the delivery"
        choices={["", ...deliveryStatuses].map((name) => ({
          href: name === "" ? path : `${path}?status=${name}`,
          label: name === "" ? "all" : name,
          isChosen: name === status,
        }))}
      />
      <Live id="delivery-log">
        {rows.length === 0 ? (
          <Empty>
            {status === "" ? `Nothing was posted in the last ${DELIVERY_DAYS} days.` : `No delivery is ${status}.`}
          </Empty>
        ) : (
          <>
            <p class="soft" id="delivery-count">
              {total.toLocaleString("en")} {total === 1 ? "delivery" : "deliveries"} in {DELIVERY_DAYS} days
            </p>
            <List
              caption="Deliveries"
              live={{ name: "delivery", ids: rows.map(({ id }) => id) }}
              columns={["Status", "Event", "Response", "Attempts", "Next attempt", "Created"]}
              rows={rows.map((row) => [
                <Status word={row.status} />,
                <a href={`${path}/deliveries/${row.id}`}>{row.event_type}</a>,
                row.response_status ?? "none",
                row.attempt,
                row.next_retry_at === null ? null : <Time at={row.next_retry_at} />,
                <Time at={row.created_at} />,
              ])}
            />
          </>
        )}
      </Live>
      <Pager next={next} />
    </>
  );
}
