import type { CallerCtx } from "../../../access/caller.ts";
import type { Refusal } from "../../../http/page-form.ts";
import { ErrorSummary, Layout, Notice, PostButton, Status, Time } from "../../../http/ui/index.ts";
import type { DeliveryOut } from "../../../notices/webhooks/index.ts";
import { pageUser } from "../page-user.ts";
import { mayManage } from "./list.tsx";

interface DeliveryPageProps {
  caller: CallerCtx;
  webhookId: string;
  delivery: DeliveryOut;
  notice?: string | undefined;
  refusal?: Refusal | undefined;
}

/** One delivery of a webhook: what was posted, and what the endpoint answered. */
export function DeliveryPage({ caller, webhookId, delivery, notice, refusal }: DeliveryPageProps) {
  const path = `/app/webhooks/${webhookId}`;
  const { email_id: email } = delivery.payload;
  return (
    <Layout
      title={`Delivery of ${delivery.event_type}`}
      user={pageUser(caller)}
      at="/app/webhooks"
      actions={
        mayManage(caller) ? (
          <PostButton
            to={`${path}/deliveries/${delivery.id}/replay`}
            label="Send again"
            fields={{ idempotency_key: crypto.randomUUID() }}
          />
        ) : null
      }
    >
      {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
      <ErrorSummary refusal={refusal} />
      <p>
        <a href={path}>All deliveries of this webhook</a>
      </p>
      <dl class="facts">
        <dt>Status</dt>
        <dd>
          <Status word={delivery.status} />
        </dd>
        {delivery.error === null ? null : (
          <>
            <dt>Reason</dt>
            <dd>{delivery.error}</dd>
          </>
        )}
        <dt>URL</dt>
        <dd>{delivery.endpoint_url ?? "The webhook is deleted"}</dd>
        <dt>Attempts</dt>
        <dd>{delivery.attempt}</dd>
        {delivery.next_retry_at === null ? null : (
          <>
            <dt>Next attempt</dt>
            <dd>
              <Time at={delivery.next_retry_at} />
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Time at={delivery.created_at} />
        </dd>
        {typeof email === "string" ? (
          <>
            <dt>Email</dt>
            <dd>
              <a href={`/app/emails/${email}`}>{email}</a>
            </dd>
          </>
        ) : null}
      </dl>
      <h2>Answer</h2>
      {delivery.response_status === null ? (
        <p>The endpoint has not answered yet.</p>
      ) : (
        <>
          <p>HTTP {delivery.response_status}</p>
          {delivery.response_body ? <pre>{delivery.response_body}</pre> : <p class="soft">Its body was empty.</p>}
        </>
      )}
      <h2>Request</h2>
      <pre>{JSON.stringify(delivery.payload, null, 2)}</pre>
    </Layout>
  );
}
