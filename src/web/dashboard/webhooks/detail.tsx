import {
  AppLayout,
  ButtonLink,
  Chips,
  counted,
  Empty,
  Facts,
  Form,
  List,
  Live,
  Notice,
  PostButton,
  Status,
  Submit,
  Time,
  useCaller,
  VersionField,
} from "../../../http/ui/index.ts";
import { versionOf } from "../../../lib/form-version.ts";
import {
  DELIVERY_DAYS,
  type DeliveryEmail,
  type DeliveryItemOut,
  deliveryStatuses,
  NOT_LIVE,
  type WebhookOut,
} from "../../../notices/webhooks/index.ts";
import { mayManage, namesOf, statusOf, valuesOf, WebhookFields } from "./list.tsx";

export interface Deliveries {
  rows: readonly (DeliveryItemOut & DeliveryEmail)[];
  total: number;
  /** The status that the list is filtered by; empty: none. */
  status: string;
}

/** One webhook: its state, its deliveries, and the form that changes it. */
export function WebhookPage({ webhook, deliveries }: { webhook: WebhookOut; deliveries: Deliveries }) {
  const path = `/app/webhooks/${webhook.id}`;
  const manages = mayManage();
  return (
    <AppLayout title="Webhook" actions={manages ? <Actions path={path} webhook={webhook} /> : null}>
      {useCaller().settings.liveWebhooks ? null : <Notice kind="warn">{NOT_LIVE}</Notice>}
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
            <VersionField version={versionOf(valuesOf(webhook))} />
            <WebhookFields {...webhook} />
            <Submit label="Save" kind="quiet" />
          </Form>
        </>
      ) : null}
    </AppLayout>
  );
}

const Actions = ({ path, webhook }: { path: string; webhook: WebhookOut }) => (
  <>
    <PostButton to={`${path}/test`} label="Send a test" once />
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
  const { rows, total, status } = deliveries;
  return (
    <>
      <Chips
        label="Status of the delivery"
        choices={["", ...deliveryStatuses].map((name) => [name, name || "all"])}
        chosen={status}
        to={(name) => (name === "" ? path : `${path}?status=${name}`)}
      />
      <Live id="delivery-log">
        {rows.length === 0 ? (
          <Empty>
            {status === "" ? `Nothing was posted in the last ${DELIVERY_DAYS} days.` : `No delivery is ${status}.`}
          </Empty>
        ) : (
          <>
            <p class="soft" id="delivery-count">
              {counted(total, "delivery", "deliveries")} in {DELIVERY_DAYS} days
            </p>
            <List
              caption="Deliveries"
              live={{ name: "delivery", ids: rows.map(({ id }) => id) }}
              columns={["Status", "Event", "Email", "Response", "Attempts", "Next attempt", "Created"]}
              rows={rows.map((row) => [
                <Status word={row.status} />,
                <a href={`${path}/deliveries/${row.id}`}>{row.event_type}</a>,
                <>
                  {row.recipient}
                  {row.subject === null ? null : <p class="soft">{row.subject}</p>}
                </>,
                row.response_status ?? "none",
                row.attempt,
                row.next_retry_at === null ? null : <Time at={row.next_retry_at} />,
                <Time at={row.created_at} />,
              ])}
            />
          </>
        )}
      </Live>
    </>
  );
}
