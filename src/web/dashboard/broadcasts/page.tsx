import {
  type AudienceOut,
  type BroadcastOut,
  isEditable,
  type TopLinksOut,
  type VariantOut,
} from "../../../audience/broadcasts/index.ts";
import {
  AppLayout,
  ButtonLink,
  counted,
  Empty,
  Facts,
  LinkLine,
  List,
  Live,
  Numbers,
  PostButton,
  PreviewFrame,
  Status,
  Time,
} from "../../../http/ui/index.ts";
import { toLocalMinute } from "../../../lib/local-time.ts";
import { Audience, AudienceSplit } from "./audience.tsx";
import { pathOfRecipients } from "./recipients-page.tsx";
import { may } from "./rights.ts";
import { percentOf, share } from "./share.ts";
import { isWaitingForWinner, Variants } from "./variants.tsx";
import { WebVersion } from "./web-version.tsx";

/** The broadcasts of the workspace. */
export const BroadcastsPage = ({ broadcasts }: { broadcasts: readonly BroadcastOut[] }) => (
  <AppLayout
    title="Broadcasts"
    actions={may("manage") ? <ButtonLink to="/app/broadcasts/new" label="New broadcast" icon="plus" /> : null}
  >
    <Live id="broadcasts">
      <List
        caption="Broadcasts"
        live={{ name: "broadcast", ids: broadcasts.map(({ id }) => id) }}
        columns={["Status", "Name", "Recipients", "Delivered", "Opened", "Clicked", "Created"]}
        empty={
          <Empty
            action={may("manage") ? { href: "/app/broadcasts/new", label: "Write a broadcast" } : undefined}
            command={{ path: "/v1/broadcasts/", body: { name: "News", subject: "News", from_address: "a@b.example" } }}
          >
            No broadcast yet. A broadcast is one email to every contact of a list.
          </Empty>
        }
        rows={broadcasts.map((broadcast) => [
          <Status word={shownStatus(broadcast)} />,
          <a href={`/app/broadcasts/${broadcast.id}`}>{broadcast.name}</a>,
          ...[broadcast.recipient_count, broadcast.delivered_count].map((count) => count.toLocaleString("en")),
          share(broadcast.opened_count, broadcast.delivered_count),
          share(broadcast.clicked_count, broadcast.delivered_count),
          <Time at={broadcast.created_at} />,
        ])}
      />
    </Live>
  </AppLayout>
);

/** How long the page of a broadcast that was sent follows its opens and clicks, in ms. */
const FOLLOWED_MS = 86_400_000;

/** Returns whether the page of a broadcast is read again by itself. */
function isChanging(broadcast: BroadcastOut, variants: readonly VariantOut[], now: number): boolean {
  const { status, sent_at: sentAt } = broadcast;
  if (status === "scheduled" || status === "sending" || isWaitingForWinner(broadcast, variants)) return true;
  return status === "sent" && sentAt !== null && now - Date.parse(sentAt) < FOLLOWED_MS;
}

const shownStatus = ({ status, paused_at }: BroadcastOut) => (status === "sending" && paused_at ? "paused" : status);

interface BroadcastPageProps {
  broadcast: BroadcastOut;
  variants: readonly VariantOut[];
  /** Before the send, and while contacts wait for a winner. Null otherwise, and when there is no list. */
  audience: AudienceOut | null;
  skipped: number;
  links: TopLinksOut;
  /** That of the workspace. */
  zone: string;
  now: number;
}

/** One broadcast: its audience before it is sent, its results afterwards, its variants, links and content. */
export function BroadcastPage(props: BroadcastPageProps) {
  const { broadcast, variants, audience, skipped, links, now, zone } = props;
  const path = `/app/broadcasts/${broadcast.id}`;
  const editable = isEditable(broadcast.status);
  const isPolled = isChanging(broadcast, variants, now);
  return (
    <AppLayout title={broadcast.name} actions={<Actions broadcast={broadcast} path={path} />}>
      <Live id="state" isPolled={isPolled}>
        <Facts
          of={{
            Status: <Status word={shownStatus(broadcast)} />,
            Subject: variants.length === 0 ? broadcast.subject : null,
            From: broadcast.from_address,
            "Scheduled for": scheduleOf(broadcast, zone),
            Winner: winnerOf(broadcast),
          }}
        />
        {editable ? (
          <Audience broadcast={broadcast} variants={variants} audience={audience} />
        ) : (
          <>
            {audience === null ? null : (
              <AudienceSplit broadcast={broadcast} variants={variants} audience={audience} isSent />
            )}
            <Results broadcast={broadcast} skipped={skipped} links={links} />
          </>
        )}
      </Live>
      <Variants broadcast={broadcast} variants={variants} path={path} isPolled={isPolled} />
      <h2>Content</h2>
      <PreviewFrame src={`/app/broadcasts/${broadcast.id}/html`} />
      <WebVersion broadcast={broadcast} />
    </AppLayout>
  );
}

/** Returns when a broadcast leaves: a moment, or a time of day by the clocks of its people. */
function scheduleOf({ scheduled_at: at, local_time_field: field }: BroadcastOut, zone: string) {
  if (at === null) return null;
  if (field === null) return <Time at={at} as="whole" />;
  return `${toLocalMinute(new Date(at), zone).replace("T", " ")} by the clock of each person (${field})`;
}

function winnerOf({ ab_auto_promote: auto, ab_promotion_reason: reason, ab_promoted_at: at }: BroadcastOut) {
  if (reason !== null) return reason;
  return auto === null || at !== null
    ? null
    : `Chosen by clicks, ${counted(auto.after_hours, "hour")} after the sample`;
}

function Actions({ broadcast, path }: { broadcast: BroadcastOut; path: string }) {
  const { status, paused_at: pausedAt } = broadcast;
  const editable = isEditable(status);
  return (
    <>
      {may("manage") ? <PostButton to={`${path}/copy`} label="Copy" kind="quiet" once /> : null}
      {may("manage") && editable ? <ButtonLink to={`${path}/review`} label="Change" /> : null}
      {may("send") && status === "sending" ? (
        <PostButton
          to={`${path}/${pausedAt ? "resume" : "pause"}`}
          label={pausedAt ? "Resume" : "Pause"}
          kind="quiet"
        />
      ) : null}
      {may("send") && (status === "sending" || status === "scheduled") ? (
        <PostButton to={`${path}/cancel`} label="Cancel" kind="danger" />
      ) : null}
      {may("manage") && status !== "sending" ? <ButtonLink to={`${path}/delete`} label="Delete" kind="danger" /> : null}
    </>
  );
}

/** Returns a count with its share of a total, and a link to the people of an activity. */
const figure = (name: string, count: number, total: number, href?: string) => ({
  name,
  value: count.toLocaleString("en"),
  href,
  ...(total > 0 && { share: `(${percentOf(count, total)})` }),
});

function Results({ broadcast, skipped, links }: Pick<BroadcastPageProps, "broadcast" | "skipped" | "links">) {
  const { id, recipient_count: all, delivered_count: delivered } = broadcast;
  return (
    <>
      <h2>Results</h2>
      <Numbers
        numbers={[
          figure("Recipients", all, 0, pathOfRecipients(id)),
          figure("Skipped", skipped, 0, `/app/broadcasts/${id}/skipped`),
          figure("Delivered", delivered, all),
          figure("Bounced", broadcast.bounced_count, all),
          figure("Failed", broadcast.failed_count, all),
          figure("Cancelled", broadcast.cancelled_count, all),
          figure("Opened", broadcast.opened_count, delivered, pathOfRecipients(id, "opened")),
          figure("Clicked", broadcast.clicked_count, delivered, pathOfRecipients(id, "clicked")),
          figure("Unsubscribed", broadcast.unsubscribed_count, delivered, pathOfRecipients(id, "left")),
          figure("Marked as spam", broadcast.complained_count, delivered, pathOfRecipients(id, "left")),
        ]}
      />
      <LinkLine
        to={`/app/analytics/broadcasts/${broadcast.id}`}
        label="Compare the variants, with confidence intervals"
      />
      {links.links.length === 0 ? null : (
        <List
          caption="Links"
          columns={["Link", "Clicks"]}
          rows={links.links.map(({ url, clicks }) => [url, clicks.toLocaleString("en")])}
        />
      )}
    </>
  );
}
