import { Empty, Notice, Pager, Time } from "../../http/ui/index.ts";
import type { Label, MessageItem } from "../../mailboxes/mailbox-store/index.ts";
import type { Done } from "./bulk-actions.ts";
import { Dot, type OpenPage, WebmailLayout } from "./layout.tsx";
import { composePath, folderPath, folderTitle, messagePath } from "./paths.ts";

/** The messages that a list shows: those of a folder, those with a label, or those that a search found. */
export interface ListView {
  /** The folder whose menu entry is marked, and to which a search belongs. */
  folder: string;
  label: Label | null;
  /** The text of the search. Empty: none. */
  query: string;
  /** True when the search covers all folders. */
  everywhere: boolean;
}

interface ListPageProps {
  page: OpenPage;
  view: ListView;
  items: readonly MessageItem[];
  total: number;
  /** URL of the next page, or null on the last one. */
  next: string | null;
  done?: Done | undefined;
  notice?: string | undefined;
  error?: string | undefined;
}

/** A list of messages with its search and its bulk actions. */
export function ListPage({ page, view, items, total, next, done, notice, error }: ListPageProps) {
  const title = view.label?.name ?? folderTitle(view.folder);
  return (
    <WebmailLayout {...page} title={title} current={view.label?.id ?? view.folder}>
      <div class="title">
        <h1>{title}</h1>
        <Search page={page} view={view} />
      </div>
      {done === undefined ? null : <DoneNotice done={done} />}
      {notice === undefined ? null : <Notice kind="good">{notice}</Notice>}
      {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
      <form method="post" class="list-form" data-select="uid">
        <div class="bulk-actions">
          <span class="all" data-select-all="" />
          <BulkActions page={page} view={view} />
          <span class="soft" id="total" data-live="">
            {total} {total === 1 ? "message" : "messages"}
          </span>
        </div>
        {items.length === 0 ? (
          <div id="rows" data-live="">
            <EmptyList page={page} view={view} />
          </div>
        ) : (
          <ul class="messages" id="rows" data-live="">
            {items.map((item) => (
              <Row page={page} view={view} item={item} />
            ))}
          </ul>
        )}
      </form>
      <Pager next={next} />
    </WebmailLayout>
  );
}

const DoneNotice = ({ done }: { done: Done }) => (
  <div class="notice good undo" role="status">
    <p>{done.text}</p>
    {done.undo === null ? null : (
      <form class="inline" method="post">
        <input type="hidden" name="undo" value={done.undo} />
        <button type="submit" class="quiet" name="action" value="undo">
          Undo
        </button>
      </form>
    )}
  </div>
);

const Search = ({ page, view }: { page: OpenPage; view: ListView }) => (
  <search>
    <form class="find" method="get" action={folderPath(page.mailbox.id, view.folder)}>
      <input
        {...{ type: "search", name: "q", value: view.query, maxlength: 1000 }}
        aria-label="Search messages"
        placeholder="Search"
        data-key="/"
      />
      <label class="choice">
        <input type="checkbox" name="all" value="1" checked={view.everywhere} />
        <span>All folders</span>
      </label>
      <button type="submit" class="quiet">
        Search
      </button>
    </form>
  </search>
);

const BulkActions = ({ page, view }: { page: OpenPage; view: ListView }) => (
  <>
    <select name="action" aria-label="What to do with the selected messages" data-key="l">
      <option value="seen">Mark as read</option>
      <option value="unseen">Mark as unread</option>
      <option value="flag" data-key="s">
        Add a star
      </option>
      <option value="unflag">Remove the star</option>
      {view.folder === "Trash" ? (
        <option value="delete" data-key="#" data-confirm="Delete the selected messages for good?">
          Delete for good
        </option>
      ) : (
        <option value="delete" data-key="#">
          Move to Trash
        </option>
      )}
      <option value={view.folder === "Spam" ? "not-spam" : "spam"} data-key="!">
        {view.folder === "Spam" ? "This is not spam" : "Move to Spam"}
      </option>
      <optgroup label="Move to">
        {page.folders
          .filter(({ name }) => name !== view.folder || view.label !== null)
          .map(({ name }) => (
            <option value={`move:${name}`} data-key={name === "Archive" ? "e" : undefined}>
              {folderTitle(name)}
            </option>
          ))}
      </optgroup>
      {page.labels.length === 0 ? null : (
        <>
          <optgroup label="Add the label">
            {page.labels.map(({ id, name }) => (
              <option value={`label:${id}`}>{name}</option>
            ))}
          </optgroup>
          <optgroup label="Remove the label">
            {page.labels.map(({ id, name }) => (
              <option value={`unlabel:${id}`}>{name}</option>
            ))}
          </optgroup>
        </>
      )}
    </select>
    <button type="submit" class="quiet">
      Apply
    </button>
  </>
);

function Row({ page, view, item }: { page: OpenPage; view: ListView; item: MessageItem }) {
  const isOwn = ["Sent", "Drafts"].includes(item.folder);
  const people = isOwn ? item.to : item.from ? [item.from] : [];
  const names = people.map(({ name, email }) => name ?? email).join(", ");
  const subject = item.subject === "" ? "(no subject)" : item.subject;
  const isElsewhere = view.everywhere || view.label !== null;
  const labels = page.labels.filter(({ id }) => item.labels.includes(id) && id !== view.label?.id);
  const path =
    item.folder === "Drafts"
      ? composePath(page.mailbox.id, { draft: String(item.uid) })
      : messagePath(page.mailbox.id, item);
  return (
    <li id={`m-${item.uid}-${encodeURIComponent(item.folder)}`} class={item.seen ? undefined : "unread"}>
      <label class="pick">
        <input
          type="checkbox"
          name="uid"
          value={isElsewhere ? `${item.uid}:${item.folder}` : String(item.uid)}
          aria-label={`Select ${subject}`}
        />
      </label>
      <span class="who">
        {isOwn && names !== "" ? "To " : null}
        {names === "" ? (isOwn ? "(no recipient)" : "(no sender)") : names}
      </span>
      <span class="what">
        {item.seen ? null : <span class="unseen">New: </span>}
        {item.flagged ? <span class="star">★ starred: </span> : null}
        <a href={path}>{subject}</a>
        {isElsewhere ? <span class="tag">{folderTitle(item.folder)}</span> : null}
        {labels.map(({ name, color }) => (
          <span class="tag">
            <Dot color={color} /> {name}
          </span>
        ))}
        {item.answered ? <span class="tag">answered</span> : null}
        {item.hasAttachments ? <span class="tag">files</span> : null}
        <span class="preview">{item.preview}</span>
      </span>
      <Time at={item.date} as="short" />
    </li>
  );
}

function EmptyList({ page, view }: { page: OpenPage; view: ListView }) {
  if (view.query !== "")
    return (
      <Empty drawing="search">
        No message in {view.everywhere ? "any folder" : "this folder"} contains “{view.query}”.
      </Empty>
    );
  if (view.label !== null) return <Empty>No message has this label. Select messages in a list to add it.</Empty>;
  const text = EMPTY[view.folder] ?? "This folder is empty. Select messages in a list to move them here.";
  return view.folder === "INBOX" ? (
    <Empty>No message is here. Mail to {page.mailbox.address} arrives in this folder.</Empty>
  ) : (
    <Empty>{text}</Empty>
  );
}

const EMPTY: Readonly<Record<string, string>> = {
  Sent: "No message was sent from this mailbox.",
  Drafts: "No draft is here. A message that you write is saved here until you send it.",
  Spam: "No message is here. Spam is deleted after 30 days.",
  Trash: "No message is here. What you delete stays here for 30 days.",
  Archive: "No message is here. Archive what you have dealt with and want to keep.",
};
