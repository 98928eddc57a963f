import type { MessageItem } from "../mailbox-store/index.ts";
import { Empty, Notice, Pager, Time } from "../ui/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { messagePath } from "./paths.ts";

interface ListPageProps {
  page: OpenPage;
  folder: string;
  items: readonly MessageItem[];
  total: number;
  /** What was searched for. Empty: the whole folder is shown. */
  query: string;
  /** URL of the next page, or null on the last one. */
  next: string | null;
  notice?: string | undefined;
  error?: string | undefined;
}

/** The messages of a folder, or those that a search found in it. */
export const ListPage = ({ page, folder, items, total, query, next, notice, error }: ListPageProps) => (
  <WebmailLayout {...page} title={folder === "INBOX" ? "Inbox" : folder} current={folder}>
    <h1>{folder === "INBOX" ? "Inbox" : folder}</h1>
    {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
    {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
    <div class="bar-of-list">
      <form class="find" method="get">
        <input type="search" name="q" value={query} aria-label={`Find in ${folder}`} placeholder="Find messages" />
        <button type="submit" class="quiet">
          Find
        </button>
      </form>
    </div>
    {items.length === 0 ? (
      <Empty>{query === "" ? "This folder is empty." : `No message in this folder contains “${query}”.`}</Empty>
    ) : (
      <form method="post">
        <div class="bar-of-list">
          <BulkActions page={page} folder={folder} />
          <span class="soft">
            {total} {total === 1 ? "message" : "messages"}
          </span>
        </div>
        <ul class="messages">
          {items.map((item) => (
            <Row page={page} item={item} />
          ))}
        </ul>
      </form>
    )}
    <Pager next={next} />
  </WebmailLayout>
);

const BulkActions = ({ page, folder }: { page: OpenPage; folder: string }) => (
  <>
    <select name="action" aria-label="What to do with the selected messages">
      <option value="seen">Mark as read</option>
      <option value="unseen">Mark as unread</option>
      <option value="flag">Add a star</option>
      <option value="unflag">Remove the star</option>
      <option value="delete">{folder === "Trash" ? "Delete for good" : "Move to Trash"}</option>
      <option value={folder === "Spam" ? "not-spam" : "spam"}>
        {folder === "Spam" ? "This is not spam" : "Move to Spam"}
      </option>
      {page.folders
        .filter(({ name }) => name !== folder)
        .map(({ name }) => (
          <option value={`move:${name}`}>Move to {name === "INBOX" ? "Inbox" : name}</option>
        ))}
    </select>
    <button type="submit" class="quiet">
      Apply
    </button>
  </>
);

function Row({ page, item }: { page: OpenPage; item: MessageItem }) {
  const isOwn = ["Sent", "Drafts"].includes(item.folder);
  const people = isOwn ? item.to : item.from ? [item.from] : [];
  const names = people.map(({ name, email }) => name ?? email).join(", ");
  const subject = item.subject === "" ? "(no subject)" : item.subject;
  return (
    <li class={item.seen ? undefined : "unread"}>
      <input type="checkbox" name="uid" value={String(item.uid)} aria-label={`Select ${subject}`} />
      <span class="who">
        {names === "" ? (isOwn ? "(no recipient)" : "(no sender)") : names}
        {item.answered ? <span class="soft"> answered</span> : null}
      </span>
      <span class="what">
        {item.flagged ? "★ " : null}
        <a href={messagePath(page.mailbox.id, item)}>{subject}</a>{" "}
        <span class="preview">
          {item.hasAttachments ? "[files] " : null}
          {item.preview}
        </span>
      </span>
      <Time at={item.date} />
    </li>
  );
}
