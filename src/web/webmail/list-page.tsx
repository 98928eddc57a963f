import { Chips, counted, Empty, Form, RefusalNotice, SearchField, Submit } from "../../http/ui/index.ts";
import { isShared } from "../../mailboxes/inbox/index.ts";
import type { ConversationItem, MessageItem } from "../../mailboxes/mailbox-store/index.ts";
import type { Done } from "./bulk-actions.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { ConversationRow, MessageRow } from "./list-rows.tsx";
import { hasConversations, type ListView } from "./list-view.ts";
import { folderPath, folderTitle } from "./paths.ts";
import { DoneToast } from "./toasts.tsx";
import { NoDefault, Toolbar } from "./toolbar.tsx";

interface ListPageProps {
  page: OpenPage;
  view: ListView;
  items: readonly (ConversationItem | MessageItem)[];
  total: number;
  /** The greatest UID of the folder, when the list has conversations. */
  upTo: number | null;
  done?: Done | undefined;
}

/** A list of conversations or messages with its search and its actions. */
export function ListPage({ page, view, items, total, upTo, done }: ListPageProps) {
  const title = view.label?.name ?? folderTitle(view.folder);
  const areConversations = hasConversations(view);
  return (
    <WebmailLayout {...page} title={title} current={view.label?.id ?? view.folder}>
      <div class="title">
        <h1>{title}</h1>
        <Search page={page} view={view} />
      </div>
      {done === undefined ? null : <DoneToast done={done} />}
      <RefusalNotice />
      <ThreadLists page={page} view={view} />
      <Form class="list-form" data-select={areConversations ? "thread" : "uid"}>
        <NoDefault />
        <div class="toolbar">
          <span class="all" data-select-all="" />
          <div class="selected">
            <Toolbar
              page={page}
              folder={view.everywhere || view.label !== null ? null : view.folder}
              what="the selected messages"
              open={null}
            />
          </div>
          <span class="soft" id="total" data-live="">
            {counted(total, "message")}
            {upTo === null ? null : <input type="hidden" name="up_to" value={String(upTo)} />}
          </span>
        </div>
        {items.length === 0 ? (
          <div id="rows" data-live="">
            <EmptyList page={page} view={view} total={total} />
          </div>
        ) : (
          <ul class="messages" id="rows" data-live="">
            {items.map((item) =>
              "people" in item ? (
                <ConversationRow page={page} item={item} />
              ) : (
                <MessageRow page={page} view={view} item={item} />
              ),
            )}
          </ul>
        )}
      </Form>
    </WebmailLayout>
  );
}

const LISTS = { all: "All", mine: "Mine", unassigned: "Unassigned", closed: "Closed" } as const;

/** The lists of a mailbox that several people answer. */
const ThreadLists = ({ page, view }: { page: OpenPage; view: ListView }) =>
  isShared(page.mailbox) && hasConversations(view) ? (
    <Chips
      label="Conversations"
      choices={LISTS}
      chosen={view.list ?? "all"}
      to={(list) => folderPath(page.mailbox.id, view.folder, { list: list === "all" ? "" : list })}
    />
  ) : null;

const Search = ({ page, view }: { page: OpenPage; view: ListView }) => (
  <search>
    <Form class="find" method="get" action={folderPath(page.mailbox.id, view.folder)}>
      <SearchField label="Search messages" value={view.query} maxlength={1000} placeholder="Search" hotkey="/" />
      <label class="choice">
        <input type="checkbox" name="all" value="1" checked={view.everywhere} />
        <span>All folders</span>
      </label>
      <Submit label="Search" kind="quiet" />
    </Form>
  </search>
);

function EmptyList({ page, view, total }: Pick<ListPageProps, "page" | "view" | "total">) {
  if (view.list !== undefined) return <Empty>No conversation of this folder is here.</Empty>;
  if (total > 0) return <Empty>No further {hasConversations(view) ? "conversations" : "messages"}.</Empty>;
  if (view.query !== "")
    return (
      <Empty drawing="search">
        No message in {view.everywhere ? "any folder" : "this folder"} contains “{view.query}”.
      </Empty>
    );
  if (view.label !== null) return <Empty>No message has this label. Select messages in a list to add it.</Empty>;
  if (view.folder === "INBOX")
    return <Empty>No message is here. Mail to {page.mailbox.address} arrives in this folder.</Empty>;
  return <Empty>{EMPTY[view.folder] ?? "This folder is empty. Select messages in a list to move them here."}</Empty>;
}

const EMPTY: Readonly<Record<string, string>> = {
  Sent: "No message was sent from this mailbox.",
  Drafts: "No draft is here. A message that you write is saved here until you send it.",
  Spam: "No message is here. Spam is deleted after 30 days.",
  Trash: "No message is here. What you delete stays here for 30 days.",
  Archive: "No message is here. Archive what you have dealt with and want to keep.",
};
