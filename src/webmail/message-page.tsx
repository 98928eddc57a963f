import type { MessageContent } from "../inbox/index.ts";
import type { MessageItem, Person, StoredMessage } from "../mailbox-store/index.ts";
import { Notice, Time } from "../ui/index.ts";
import { type OpenPage, WebmailLayout } from "./layout.tsx";
import { composePath, folderPath, messagePath } from "./paths.ts";

interface MessagePageProps {
  page: OpenPage;
  message: StoredMessage;
  content: MessageContent;
  /** The messages of its conversation in all folders, oldest first. */
  thread: readonly MessageItem[];
  /** Whether images of other hosts are shown. */
  withImages: boolean;
}

/** One message with its conversation. */
export function MessagePage({ page, message, content, thread, withImages }: MessagePageProps) {
  const path = messagePath(page.mailbox.id, message);
  const subject = message.subject === "" ? "(no subject)" : message.subject;
  const files = message.parts.filter(({ use }) => use === "attachment");
  return (
    <WebmailLayout {...page} title={subject} current={message.folder}>
      <Actions page={page} message={message} />
      <article>
        <h1>{subject}</h1>
        <dl class="facts">
          <People title="From" people={message.from ? [message.from] : []} />
          <People title="To" people={message.to} />
          <People title="Cc" people={message.cc} />
          <People title="Bcc" people={message.bcc} />
          <dt>Date</dt>
          <dd>
            <Time at={message.date} />
          </dd>
        </dl>
        {message.problem === null ? null : (
          <Notice kind="warn">
            This message could not be read completely: {message.problem}. The original is complete.
          </Notice>
        )}
        {content.html === null ? (
          <pre>{content.text ?? "This message has no text."}</pre>
        ) : (
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
                {withImages ? "Hide them" : "Show them; the sender can see that"}
              </a>
            </p>
          </>
        )}
        {files.length === 0 ? null : (
          <>
            <h2>Files</h2>
            <ul>
              {files.map(({ partId, filename, size }) => (
                <li>
                  <a class="action" href={`${path}/parts/${partId}`}>
                    {filename ?? `part ${partId}`}
                  </a>{" "}
                  <span class="soft">{size.toLocaleString("en")} bytes</span>
                </li>
              ))}
            </ul>
          </>
        )}
        <p>
          <a class="action" href={`${path}/raw`}>
            Download the original
          </a>
        </p>
      </article>
      <Thread page={page} message={message} thread={thread} />
    </WebmailLayout>
  );
}

function People({ title, people }: { title: string; people: readonly Person[] }) {
  if (people.length === 0) return null;
  const text = people.map(({ name, email }) => (name === null ? email : `${name} <${email}>`)).join(", ");
  return (
    <>
      <dt>{title}</dt>
      <dd>{text}</dd>
    </>
  );
}

function Actions({ page, message }: { page: OpenPage; message: StoredMessage }) {
  const { folder, uid, flagged } = message;
  const from = { folder, uid: String(uid) };
  const id = page.mailbox.id;
  const isSpam = folder === "Spam";
  const moves: [string, string][] = [
    ...(folder === "Archive" ? [] : ([["move:Archive", "Archive"]] as [string, string][])),
    isSpam ? ["not-spam", "Not spam"] : ["spam", "Spam"],
    ["delete", folder === "Trash" ? "Delete for good" : "Delete"],
    ["unseen", "Mark as unread"],
    flagged ? ["unflag", "Remove the star"] : ["flag", "Add a star"],
  ];
  return (
    <div class="actions">
      {folder === "Drafts" ? (
        <a class="button" href={composePath(id, { draft: String(uid) })}>
          Edit
        </a>
      ) : (
        <>
          <a class="button" href={composePath(id, { reply: "one", ...from })}>
            Reply
          </a>
          <a class="button quiet" href={composePath(id, { reply: "all", ...from })}>
            Reply to all
          </a>
          <a class="button quiet" href={composePath(id, { reply: "forward", ...from })}>
            Forward
          </a>
        </>
      )}
      {moves.map(([action, label]) => (
        <form method="post" action={folderPath(id, folder)}>
          <input type="hidden" name="uid" value={String(uid)} />
          <button type="submit" class="quiet" name="action" value={action}>
            {label}
          </button>
        </form>
      ))}
    </div>
  );
}

function Thread({ page, message, thread }: Pick<MessagePageProps, "page" | "message" | "thread">) {
  const others = thread.filter(({ uid, folder }) => uid !== message.uid || folder !== message.folder);
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      <ul class="thread">
        {others.map((item) => (
          <li>
            <Time at={item.date} /> {item.from?.name ?? item.from?.email ?? "(no sender)"}:{" "}
            <a href={messagePath(page.mailbox.id, item)}>{item.subject === "" ? "(no subject)" : item.subject}</a>{" "}
            <span class="soft">in {item.folder === "INBOX" ? "Inbox" : item.folder}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
