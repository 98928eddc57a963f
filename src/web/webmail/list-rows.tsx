import type { Child } from "hono/jsx";
import { Avatar, Icon, Time } from "../../http/ui/index.ts";
import { currentState } from "../../mailboxes/inbox/index.ts";
import type { ConversationItem, MessageItem, Person } from "../../mailboxes/mailbox-store/index.ts";
import { Dot, type OpenPage } from "./layout.tsx";
import type { ListView } from "./list-view.ts";
import { namesOf } from "./participants.ts";
import { composePath, folderTitle, messagePath } from "./paths.ts";

/** Returns how pages write a subject. */
export const subjectOf = ({ subject }: { subject: string }) => (subject === "" ? "(no subject)" : subject);

/** A conversation in the list of a folder: the newest message that the folder has of it. */
export function ConversationRow({ page, item }: { page: OpenPage; item: ConversationItem }) {
  const { address, id, people } = page.mailbox;
  const state = currentState(item.state, people);
  const who = item.folder === "Sent" ? toRecipients(item.to) : namesOf(item.people, address) || "(no sender)";
  return (
    <Row
      page={page}
      item={item}
      who={who}
      id={`c-${item.threadId}`}
      pick={{ name: "thread", value: item.threadId }}
      path={messagePath(id, item)}
      labels={item.labels}
      care={[state.closedAt === null ? null : "Closed", state.assignee?.name ?? null]}
    >
      {item.count > 1 ? (
        <span class="count">
          {item.count}
          {item.hasMore ? "+" : null}
          <span class="hidden"> messages</span>
        </span>
      ) : null}
      {item.hasDraft ? <span class="draft">Draft</span> : null}
    </Row>
  );
}

/** A message in a list. A draft opens in the form that writes it. */
export function MessageRow({ page, view, item }: { page: OpenPage; view: ListView; item: MessageItem }) {
  const { uid, folder } = item;
  const id = page.mailbox.id;
  const isElsewhere = view.everywhere || view.label !== null;
  const isOwn = ["Sent", "Drafts"].includes(folder);
  const who = isOwn ? toRecipients(item.to) : namesOf(item.from ? [item.from] : [], "") || "(no sender)";
  const value = isElsewhere ? `${uid}:${folder}` : String(uid);
  return (
    <Row
      page={page}
      item={item}
      who={who}
      id={`m-${uid}-${encodeURIComponent(folder)}`}
      pick={{ name: "uid", value }}
      path={folder === "Drafts" ? composePath(id, { draft: String(uid) }) : messagePath(id, item)}
      labels={item.labels.filter((label) => label !== view.label?.id)}
      place={isElsewhere ? folderTitle(folder) : null}
    />
  );
}

const toRecipients = (to: readonly Person[]) =>
  to.length === 0 ? "(no recipient)" : `To ${to.map(({ name, email }) => name ?? email).join(", ")}`;

interface RowProps {
  page: OpenPage;
  item: MessageItem;
  id: string;
  who: string;
  /** The field that selects the row. */
  pick: { name: "thread" | "uid"; value: string };
  path: string;
  labels: readonly string[];
  /** Folder of the message when the list has several. */
  place?: string | null;
  /** The state of its conversation: that it is closed, and who cares for it. */
  care?: readonly (string | null)[];
  children?: Child;
}

const Row = ({ page, item, id, who, pick, path, labels, place = null, care = [], children }: RowProps) => (
  <li id={id} class={item.seen ? undefined : "unread"}>
    <label class="pick">
      <Avatar {...faceOf(item)} />
      <input type="checkbox" {...pick} aria-label={`Select ${subjectOf(item)}`} />
    </label>
    <span class="who">
      <span class="names">{who}</span> {children}
    </span>
    <span class="what">
      <span class="line">
        {item.seen ? null : <span class="unseen">New: </span>}
        {item.flagged ? <span class="star">★ starred: </span> : null}
        <a href={path}>{subjectOf(item)}</a>
        {[place, ...care].map((text) => (text === null ? null : <span class="tag cut">{text}</span>))}
        {page.labels
          .filter((label) => labels.includes(label.id))
          .map(({ name, color }) => (
            <span class="tag">
              <Dot color={color} /> {name}
            </span>
          ))}
        {item.answered ? <Sign icon="reply" text="answered" /> : null}
        {item.hasAttachments ? <Sign icon="attach" text="files" /> : null}
      </span>
      <span class="preview">{item.preview}</span>
    </span>
    <Time at={item.date} as="short" />
  </li>
);

/** Returns the person of a row: the sender of its message, or who gets it. */
const faceOf = ({ folder, from, to: [first] }: MessageItem): Person =>
  (["Sent", "Drafts"].includes(folder) ? first : from) ?? { name: null, email: "" };

const Sign = ({ icon, text }: { icon: "reply" | "attach"; text: string }) => (
  <span class="sign" title={text}>
    <Icon name={icon} />
    <span class="hidden">{text}</span>
  </span>
);
