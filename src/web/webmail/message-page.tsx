import { ButtonLink, Form } from "../../http/ui/index.ts";
import { authorOf } from "../../mailboxes/inbox/index.ts";
import type { Conversation, StoredMessage } from "../../mailboxes/mailbox-store/index.ts";
import type { Done } from "./bulk-actions.ts";
import { MessageForm, titleOf } from "./compose-page.tsx";
import { CareForm, Entries, Writers } from "./conversation-care.tsx";
import { ConversationMessage, type ShownMessage } from "./conversation-message.tsx";
import { Dot, type OpenPage, WebmailLayout } from "./layout.tsx";
import { subjectOf } from "./list-rows.tsx";
import type { OpenForm } from "./open-form.ts";
import { folderPath, folderTitle, messagePath } from "./paths.ts";
import { DoneToast } from "./toasts.tsx";
import { NoDefault, Toolbar } from "./toolbar.tsx";

interface MessagePageProps {
  page: OpenPage;
  conversation: Conversation;
  /** Its messages, oldest first. */
  shown: readonly ShownMessage[];
  /** True when images of other hosts are shown in the message that was asked for. */
  withImages: boolean;
  done?: Done | undefined;
  /** The reply or the draft that is written below the conversation. */
  writing: OpenForm | null;
}

/** A conversation: its messages one below the other. Those that were read are folded. */
export function MessagePage({ page, conversation, shown, withImages, done, writing }: MessagePageProps) {
  const { message, earlier, newest } = conversation;
  const id = page.mailbox.id;
  const here = shown.map((one) => one.message).filter(({ folder }) => folder === message.folder);
  const labels = [...new Set(here.flatMap((one) => one.labels))];
  const isFlagged = here.some(({ flagged }) => flagged);
  return (
    <WebmailLayout {...page} title={subjectOf(message)} current={message.folder}>
      {done === undefined ? null : <DoneToast done={done} action={folderPath(id, message.folder)} at={message.uid} />}
      <Actions page={page} conversation={conversation} labels={labels} isFlagged={isFlagged} />
      <div class="subject">
        <h1>
          {isFlagged ? <span class="star">★ starred: </span> : null} {subjectOf(message)}
        </h1>
        <Labels page={page} conversation={conversation} own={labels} />
      </div>
      <CareForm page={page} message={message} care={conversation} />
      {earlier === null ? null : (
        <p>
          <a class="action" href={messagePath(id, earlier)}>
            Show earlier messages
          </a>
        </p>
      )}
      <div class="conversation" id="conversation" data-live="rows">
        {shown
          .filter((one) => writing === null || !isDraft(one.message, writing.form.draft))
          .map((one) => (
            <ConversationMessage
              page={page}
              {...one}
              folder={message.folder}
              author={authorOfAnswer(page, one.message, conversation)}
              withImages={withImages && one.message === message}
            />
          ))}
      </div>
      <Entries page={page} message={message} care={conversation} />
      <Writers page={page} writers={conversation.writers} />
      {writing !== null ? (
        <section aria-labelledby="writing">
          <h2 id="writing">{titleOf(writing.form)}</h2>
          <MessageForm page={page} {...writing} />
        </section>
      ) : newest === null ? (
        <Replies page={page} messages={shown.map((one) => one.message)} />
      ) : (
        <p>
          <a class="action" href={messagePath(id, newest)}>
            Show the newest messages
          </a>
        </p>
      )}
    </WebmailLayout>
  );
}

/** Returns the name of the other person who has sent an answer from the mailbox, or null. */
function authorOfAnswer({ caller }: OpenPage, { folder, messageId }: StoredMessage, { entries }: Conversation) {
  if (folder !== "Sent" || messageId === null) return null;
  const author = entries.find(({ kind, text }) => kind === "answer" && text === messageId)?.author;
  return author && author.id !== authorOf(caller).id ? author.name : null;
}

const isDraft = ({ folder, uid }: StoredMessage, draft: string) => folder === "Drafts" && String(uid) === draft;

interface ActionsProps {
  page: OpenPage;
  conversation: Conversation;
  labels: readonly string[];
  isFlagged: boolean;
}

/** The toolbar of a conversation. Its actions change the messages that the folder has of it. */
const Actions = ({ page, conversation, labels, isFlagged }: ActionsProps) => {
  const { folder } = conversation.message;
  return (
    <Form class="toolbar" action={folderPath(page.mailbox.id, folder)}>
      <NoDefault />
      <ConversationFields conversation={conversation} />
      {/* Messages that come while the page is open are shown, so they belong to what is changed, unless it shows earlier ones. */}
      <span id="up-to" hidden data-live={conversation.newest === null ? "" : undefined}>
        <UpTo conversation={conversation} />
      </span>
      <ButtonLink
        to={folderPath(page.mailbox.id, folder)}
        label={`Back to ${folderTitle(folder)}`}
        icon="back"
        kind="bare"
        hotkey="u"
      />
      <Toolbar page={page} folder={folder} what="this conversation" open={{ labels, flagged: isFlagged }} />
    </Form>
  );
};

const ConversationFields = ({ conversation: { message } }: { conversation: Conversation }) => (
  <>
    <input type="hidden" name="thread" value={message.threadId} data-row={`c-${message.threadId}`} />
    <input type="hidden" name="at" value={String(message.uid)} />
  </>
);

const UpTo = ({ conversation: { upTo } }: { conversation: Conversation }) => (
  <input type="hidden" name="up_to" value={String(upTo)} />
);

function Labels({ page, conversation, own }: { page: OpenPage; conversation: Conversation; own: readonly string[] }) {
  const labels = page.labels.filter(({ id }) => own.includes(id));
  if (labels.length === 0) return null;
  return (
    <Form class="labels" action={folderPath(page.mailbox.id, conversation.message.folder)}>
      <ConversationFields conversation={conversation} />
      <UpTo conversation={conversation} />
      {labels.map(({ id, name, color }) => (
        <button type="submit" class="tag" name="action" value={`unlabel:${id}`} aria-label={`Remove the label ${name}`}>
          <Dot color={color} /> {name} ×
        </button>
      ))}
    </Form>
  );
}

/** The links that reply to the newest message, or that edit it when it is a draft. */
function Replies({ page, messages }: { page: OpenPage; messages: readonly StoredMessage[] }) {
  const id = page.mailbox.id;
  const draft = messages.findLast(({ folder, claim }) => folder === "Drafts" && claim === null);
  const newest = messages.findLast(({ folder }) => folder !== "Drafts");
  return (
    <div class="actions replies">
      {newest === undefined ? null : (
        <ButtonLink to={messagePath(id, newest, { reply: "one" })} label="Reply" icon="reply" hotkey="r" />
      )}
      {draft === undefined ? null : (
        <ButtonLink
          to={messagePath(id, newest ?? draft, { draft: String(draft.uid) })}
          label="Edit draft"
          icon="edit"
          kind={newest && "quiet"}
        />
      )}
      {newest === undefined ? null : (
        <>
          <ButtonLink to={messagePath(id, newest, { reply: "all" })} label="Reply to all" kind="quiet" hotkey="a" />
          <ButtonLink
            to={messagePath(id, newest, { reply: "forward" })}
            label="Forward"
            icon="forward"
            kind="quiet"
            hotkey="f"
          />
        </>
      )}
    </div>
  );
}
