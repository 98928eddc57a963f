import { Avatar, Facts, Form, Icon, MenuLink, Notice, Time } from "../../http/ui/index.ts";
import { isHtml, type MessageContent, problemOf } from "../../mailboxes/inbox/index.ts";
import type { Person, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import { nameOf } from "./compose-form.ts";
import type { OpenPage } from "./layout.tsx";
import { nameOrMe } from "./participants.ts";
import { composePath, filterPath, folderPath, folderTitle, messagePath } from "./paths.ts";
import { splitQuoted } from "./quoted-text.ts";
import { toSize } from "./size.ts";
import { Menu } from "./toolbar.tsx";

/** A message of a conversation as its page shows it. */
export interface ShownMessage {
  message: StoredMessage;
  isOpen: boolean;
  /** Its text, when the page has it. Otherwise a frame loads it. */
  content: MessageContent | null;
}

interface ConversationMessageProps extends ShownMessage {
  page: OpenPage;
  /** The folder in which the conversation is open: another one is named. */
  folder: string;
  /** The name of the other person of this mailbox who has written it, or null. */
  author: string | null;
  withImages: boolean;
}

/** A message of a conversation. Its heading opens and folds it. */
export function ConversationMessage({
  page,
  message,
  isOpen,
  content,
  folder,
  author,
  withImages,
}: ConversationMessageProps) {
  const path = messagePath(page.mailbox.id, message);
  const own = page.mailbox.address;
  const from = message.from ?? { name: null, email: "" };
  const problem = content === null ? message.problem : problemOf(message, content);
  return (
    <article id={idOf(message)} class={message.seen ? undefined : "unread"}>
      <details open={isOpen}>
        <summary>
          <Avatar {...from} />
          <span class="names">{author ?? (message.from ? nameOrMe(message.from, own) : "(no sender)")}</span>
          {message.seen ? null : <span class="unseen">New: </span>}
          {message.folder === "Drafts" ? (
            <span class={message.claim ? "tag" : "draft"}>{message.claim ? "Sending" : "Draft"}</span>
          ) : null}
          {[folder, "Drafts"].includes(message.folder) ? null : <span class="tag">{folderTitle(message.folder)}</span>}
          <span class="preview">{message.preview}</span>
          <Time at={message.date} as={isOpen ? "whole" : "short"} />
        </summary>
        <MessageMenu page={page} message={message} path={path} />
        <div class="content">
          <Recipients message={message} own={own} />
          {problem === null ? null : (
            <Notice kind="warn">This message could not be read completely: {problem}. The original is complete.</Notice>
          )}
          <Body path={path} message={message} content={content} isOpen={isOpen} withImages={withImages} />
          <Files path={path} message={message} />
        </div>
      </details>
      {message.claim === null ? null : (
        <p class="sending">
          <Icon name="send" /> Waits to be sent.{" "}
          <a class="action" href={composePath(page.mailbox.id, { draft: String(message.uid) })}>
            Stop sending
          </a>
        </p>
      )}
    </article>
  );
}

const idOf = ({ uid, folder }: StoredMessage) => `m-${uid}-${encodeURIComponent(folder)}`;

function MessageMenu({ page, message, path }: { page: OpenPage; message: StoredMessage; path: string }) {
  const { uid, folder } = message;
  const id = page.mailbox.id;
  return (
    <Form class="message-menu" action={folderPath(id, folder)} fields={{ uid: String(uid) }}>
      <Menu id={`more-${idOf(message)}`} icon="dots" label="More for this message">
        {folder === "Drafts" ? (
          <MenuLink
            path={composePath(id, { draft: String(uid) })}
            name={message.claim ? "Stop sending this message" : "Edit this draft"}
            icon="edit"
          />
        ) : (
          <>
            <MenuLink path={messagePath(id, message, { reply: "one" })} name="Reply to this message" icon="reply" />
            <MenuLink
              path={messagePath(id, message, { reply: "forward" })}
              name="Forward this message"
              icon="forward"
            />
            {message.from?.email ? (
              <MenuLink
                path={filterPath(id, "new", { from: message.from.email })}
                name="Filter messages like this"
                icon="settings"
              />
            ) : null}
          </>
        )}
        <button
          type="submit"
          name="action"
          value="delete"
          data-confirm={folder === "Trash" ? "Delete this message for good?" : undefined}
        >
          <Icon name="trash" />
          <span>Delete this message</span>
        </button>
        <MenuLink path={`${path}/raw`} name="Download the original" icon="download" />
      </Menu>
    </Form>
  );
}

/** Who got the message: in a line, and on request with the addresses. */
function Recipients({ message, own }: { message: StoredMessage; own: string }) {
  const names = [...message.to, ...message.cc, ...message.bcc].map((person) => nameOrMe(person, own));
  return (
    <details class="recipients">
      <summary>{names.length === 0 ? "no recipient" : `to ${writeNames(names, MAX_NAMES)}`}</summary>
      <Facts
        of={{
          From: message.from && nameOf(message.from),
          To: writePeople(message.to),
          Cc: writePeople(message.cc),
          Bcc: writePeople(message.bcc),
        }}
      />
    </details>
  );
}

/** Recipients whose names are shown at once, and those of a field with their addresses. A page has many messages. */
const [MAX_NAMES, MAX_PEOPLE] = [3, 50];

const writeNames = (names: readonly string[], most: number): string =>
  names.slice(0, most).join(", ") + (names.length > most ? ` and ${names.length - most} more` : "");

const writePeople = (people: readonly Person[]) =>
  people.length === 0 ? null : writeNames(people.map(nameOf), MAX_PEOPLE);

/** Greatest text that the page has itself, in characters. */
const MAX_TEXT = 100_000;

function Body({ path, message, content, isOpen, withImages }: ShownMessage & { path: string; withImages: boolean }) {
  // A frame loads a long text, so that the page stays small.
  if (content !== null && (content.text?.length ?? 0) <= MAX_TEXT) return <Text content={content} />;
  return (
    <>
      <iframe
        class={isHtml(message) ? "mail" : "mail text"}
        title={`Text of the message of ${message.from?.name ?? message.from?.email ?? "an unknown sender"}`}
        sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        loading={isOpen ? undefined : "lazy"}
        src={`${path}/body${withImages ? "?images=1" : ""}`}
      />
      {isHtml(message) ? (
        <p class="hint" data-images-off={withImages ? undefined : ""}>
          {withImages ? "Images of other hosts are shown. " : "Images of other hosts are not loaded. "}
          <a class="action" href={withImages ? path : `${path}?images=1#${idOf(message)}`}>
            {withImages ? "Hide images" : "Show images (the sender may notice)"}
          </a>
        </p>
      ) : null}
    </>
  );
}

/** A text, with what it quotes at its end folded. */
function Text({ content }: { content: MessageContent }) {
  if (content.text === null) return <pre class="mail">This message has no text.</pre>;
  const { own, quoted } = splitQuoted(content.text);
  return (
    <>
      <pre class="mail">{own}</pre>
      {quoted === null ? null : (
        <details class="quoted">
          <summary>Quoted text</summary>
          <pre class="mail">{quoted}</pre>
        </details>
      )}
    </>
  );
}

function Files({ path, message }: { path: string; message: StoredMessage }) {
  const files = message.parts.filter(({ use }) => use === "attachment");
  if (files.length === 0) return null;
  return (
    <ul class="files" aria-label="Files">
      {files.map(({ partId, filename, size }) => (
        <li>
          <a class="button quiet" href={`${path}/parts/${partId}`}>
            <Icon name="attach" />
            <span>{filename ?? `part ${partId}`}</span>
            <span class="soft">{toSize(size)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
