import type { Child } from "hono/jsx";
import { ButtonLink, Notice, Time } from "../../http/ui/index.ts";
import { type MessageContent, problemOf } from "../../mailboxes/inbox/index.ts";
import type { MessageItem, Person, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import { nameOf } from "./compose-form.ts";
import { Dot, type OpenPage, WebmailLayout } from "./layout.tsx";
import { composePath, folderPath, folderTitle, messagePath } from "./paths.ts";
import { toSize } from "./size.ts";

interface MessagePageProps {
  page: OpenPage;
  message: StoredMessage;
  content: MessageContent;
  /** The messages of its conversation in all folders, oldest first. */
  thread: readonly MessageItem[];
  /** True when images of other hosts are shown. */
  withImages: boolean;
}

/** One message with its conversation. */
export function MessagePage({ page, message, content, thread, withImages }: MessagePageProps) {
  const path = messagePath(page.mailbox.id, message);
  const subject = message.subject === "" ? "(no subject)" : message.subject;
  const problem = problemOf(message, content);
  return (
    <WebmailLayout {...page} title={subject} current={message.folder}>
      <Actions page={page} message={message} />
      <article>
        <h1>
          {message.flagged ? <span class="star">★ starred: </span> : null} {subject}
        </h1>
        <Labels page={page} message={message} />
        <dl class="facts">
          <People title="From" people={message.from ? [message.from] : []} />
          <People title="To" people={message.to} />
          <People title="Cc" people={message.cc} />
          <People title="Bcc" people={message.bcc} />
          <dt>Date</dt>
          <dd>
            <Time at={message.date} as="whole" />
          </dd>
        </dl>
        {problem === null ? null : (
          <Notice kind="warn">This message could not be read completely: {problem}. The original is complete.</Notice>
        )}
        <Body {...{ path, content, withImages }} />
        <Files path={path} message={message} />
        <p class="foot">
          <a class="action" href={`${path}/raw`}>
            Download the original
          </a>
        </p>
      </article>
      <Thread page={page} message={message} thread={thread} />
    </WebmailLayout>
  );
}

function Body({ path, content, withImages }: Pick<MessagePageProps, "content" | "withImages"> & { path: string }) {
  if (content.html === null) return <pre class="mail">{content.text ?? "This message has no text."}</pre>;
  return (
    <>
      <iframe
        class="mail"
        title="Text of the message"
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        src={`${path}/body${withImages ? "?images=1" : ""}`}
      />
      <p class="hint">
        {withImages ? "Images of other hosts are shown. " : "Images of other hosts are not loaded. "}
        <a class="action" href={withImages ? path : `${path}?images=1`}>
          {withImages ? "Hide images" : "Show images (the sender may notice)"}
        </a>
      </p>
    </>
  );
}

function Files({ path, message }: { path: string; message: StoredMessage }) {
  const files = message.parts.filter(({ use }) => use === "attachment");
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="files">
      <h2 id="files">Files</h2>
      <ul class="files">
        {files.map(({ partId, filename, size }) => (
          <li>
            <a class="action" href={`${path}/parts/${partId}`}>
              {filename ?? `part ${partId}`}
            </a>{" "}
            <span class="soft">{toSize(size)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The labels of the message, each with a button that removes it, and a choice of those to add. */
function Labels({ page, message }: { page: OpenPage; message: StoredMessage }) {
  const [own, others] = [true, false].map((has) => page.labels.filter(({ id }) => message.labels.includes(id) === has));
  if (page.labels.length === 0) return null;
  const { folder, uid } = message;
  return (
    <div class="labels">
      {own?.map(({ id, name, color }) => (
        <ActionForm page={page} folder={folder} uid={uid} stays>
          <button
            type="submit"
            class="tag"
            name="action"
            value={`unlabel:${id}`}
            aria-label={`Remove the label ${name}`}
          >
            <Dot color={color} /> {name} ×
          </button>
        </ActionForm>
      ))}
      {others?.length ? (
        <ActionForm page={page} folder={folder} uid={uid} stays>
          <select class="short" name="action" aria-label="Label to add" data-key="l">
            {others.map(({ id, name }) => (
              <option value={`label:${id}`}>{name}</option>
            ))}
          </select>
          <button type="submit" class="quiet">
            Add label
          </button>
        </ActionForm>
      ) : null}
    </div>
  );
}

interface ActionFormProps {
  page: OpenPage;
  folder: string;
  uid: number;
  /** True when the message is shown again afterwards. */
  stays?: boolean;
  children?: Child;
}

/** A form that changes one message as the list changes those that are selected. */
const ActionForm = ({ page, folder, uid, stays = false, children }: ActionFormProps) => (
  <form class="inline" method="post" action={folderPath(page.mailbox.id, folder)}>
    <input type="hidden" name="uid" value={String(uid)} />
    {stays ? <input type="hidden" name="back" value="message" /> : null}
    {children}
  </form>
);

function People({ title, people }: { title: string; people: readonly Person[] }) {
  if (people.length === 0) return null;
  const text = people.map(nameOf).join(", ");
  return (
    <>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </>
  );
}

/** Actions on a message: value, text, key, and whether it is asked for first. */
function movesOf({ folder, flagged }: StoredMessage): { value: string; label: string; key?: string; ask?: string }[] {
  return [
    ...(folder === "Archive" ? [] : [{ value: "move:Archive", label: "Archive", key: "e" }]),
    folder === "Trash"
      ? { value: "delete", label: "Delete for good", key: "#", ask: "Delete this message for good?" }
      : { value: "delete", label: "Delete", key: "#" },
    folder === "Spam" ? { value: "not-spam", label: "Not spam", key: "!" } : { value: "spam", label: "Spam", key: "!" },
    { value: "unseen", label: "Mark as unread" },
    flagged
      ? { value: "unflag", label: "Remove the star", key: "s" }
      : { value: "flag", label: "Add a star", key: "s" },
  ];
}

function Actions({ page, message }: { page: OpenPage; message: StoredMessage }) {
  const { folder, uid } = message;
  const from = { folder, uid: String(uid) };
  const id = page.mailbox.id;
  return (
    <div class="actions">
      <a class="button quiet" href={folderPath(id, folder)} data-key="u">
        ← {folderTitle(folder)}
      </a>
      {folder === "Drafts" ? (
        <ButtonLink to={composePath(id, { draft: String(uid) })} label="Edit" />
      ) : (
        <>
          <a class="button" href={composePath(id, { reply: "one", ...from })} data-key="r">
            Reply
          </a>
          <a class="button quiet" href={composePath(id, { reply: "all", ...from })} data-key="a">
            Reply to all
          </a>
          <a class="button quiet" href={composePath(id, { reply: "forward", ...from })} data-key="f">
            Forward
          </a>
        </>
      )}
      {movesOf(message).map(({ value, label, key, ask }) => (
        <ActionForm page={page} folder={folder} uid={uid} stays={value === "flag" || value === "unflag"}>
          <button type="submit" class="quiet" name="action" value={value} data-key={key} data-confirm={ask}>
            {label}
          </button>
        </ActionForm>
      ))}
      <ActionForm page={page} folder={folder} uid={uid}>
        <select class="short" name="action" aria-label="Folder to move to">
          {page.folders
            .filter(({ name }) => name !== folder)
            .map(({ name }) => (
              <option value={`move:${name}`}>{folderTitle(name)}</option>
            ))}
        </select>
        <button type="submit" class="quiet">
          Move
        </button>
      </ActionForm>
    </div>
  );
}

function Thread({ page, message, thread }: Pick<MessagePageProps, "page" | "message" | "thread">) {
  const others = thread.filter(({ uid, folder }) => uid !== message.uid || folder !== message.folder);
  if (others.length === 0) return <section id="thread" data-live="" />;
  return (
    <section aria-labelledby="conversation" id="thread" data-live="">
      <h2 id="conversation">Conversation</h2>
      <ul class="thread">
        {others.map((item) => (
          <li>
            <Time at={item.date} as="whole" /> {item.from?.name ?? item.from?.email ?? "(no sender)"}:{" "}
            <a href={messagePath(page.mailbox.id, item)}>{item.subject === "" ? "(no subject)" : item.subject}</a>{" "}
            <span class="soft">in {folderTitle(item.folder)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
