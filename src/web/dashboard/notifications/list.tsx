import { AppLayout, ButtonLink, Chips, Empty, PostButton, PostLink, Time, useScope } from "../../../http/ui/index.ts";
import { withQuery } from "../../../lib/with-query.ts";
import {
  type Category,
  categories,
  NOTIFICATION_DAYS,
  type NotificationOut,
} from "../../../notices/notifications/index.ts";

interface NotificationsPageProps {
  notifications: readonly NotificationOut[];
  /** The category that the list is filtered by; empty: none. */
  category: Category | "";
  unreadOnly: boolean;
  /** Unread notifications of every category. */
  unread: number;
  counts: Readonly<Record<Category, number>>;
}

/** The notifications of the user in this workspace, with filters. */
export function NotificationsPage({ notifications, unread, ...filter }: NotificationsPageProps) {
  const mayManage = useScope("notifications:manage");
  return (
    <AppLayout
      title="Notifications"
      actions={
        <>
          {mayManage && unread > 0 ? (
            <PostButton to="/app/notifications/read-all" label="Mark all as read" kind="quiet" />
          ) : null}
          <ButtonLink to="/app/notifications/preferences" label="Preferences" kind="quiet" />
        </>
      }
    >
      <Filters unread={unread} {...filter} />
      {notifications.length === 0 ? (
        <Empty>
          {filter.unreadOnly || filter.category !== ""
            ? "No notification matches."
            : `Nothing happened in the last ${NOTIFICATION_DAYS} days that needs your attention.`}
        </Empty>
      ) : null}
      {notifications.map((notification) => (
        <Entry notification={notification} mayManage={mayManage} />
      ))}
    </AppLayout>
  );
}

type Filter = Pick<NotificationsPageProps, "category" | "unreadOnly" | "counts">;

const Filters = ({ category, unreadOnly, unread, counts }: Filter & { unread: number }) => (
  <Chips
    label="Filter"
    choices={[
      ["", "all"],
      ["unread", `unread (${unread})`],
      ...categories.map((name) => [name, `${name} (${counts[name]})`] as const),
    ]}
    chosen={unreadOnly ? "unread" : category}
    to={(name) => notificationsPath(name === "unread" ? { unread: true } : { category: name })}
  />
);

/** Returns the path of the list with a filter, from an offset on. */
export const notificationsPath = (query: { category?: string; unread?: boolean; offset?: number }): string =>
  withQuery("/app/notifications", {
    category: query.category,
    unread: query.unread ? "true" : "",
    offset: query.offset ? String(query.offset) : "",
  });

const SEVERITIES = {
  info: { kind: "", word: "Note" },
  success: { kind: "good", word: "Done" },
  warning: { kind: "warn", word: "Warning" },
  error: { kind: "bad", word: "Problem" },
} as const;

function Entry({ notification, mayManage }: { notification: NotificationOut; mayManage: boolean }) {
  const { id, title, body, href, severity, read_at: readAt, created_at: createdAt } = notification;
  const { kind, word } = SEVERITIES[severity];
  return (
    <article class="card">
      <p class="spread">
        <span>
          <span class={`status ${kind}`}>{word}</span> {readAt === null ? <strong>unread</strong> : null}
        </span>
        <span class="soft">
          <Time at={createdAt} />
        </span>
      </p>
      <p>
        <strong>{href === null ? title : <a href={`/app${href}`}>{title}</a>}</strong>
      </p>
      <p>{body}</p>
      {readAt === null && mayManage ? (
        <PostLink to={`/app/notifications/${id}/read`} label="Mark as read" name={`Mark as read: ${title}`} />
      ) : null}
    </article>
  );
}
