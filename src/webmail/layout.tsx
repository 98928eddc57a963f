import type { Child } from "hono/jsx";
import type { CallerCtx } from "../context.ts";
import type { OpenMailbox } from "../inbox/index.ts";
import { Document, Notice } from "../ui/index.ts";
import { composePath, folderPath, scheduledPath } from "./paths.ts";
import { WEBMAIL_STYLE_FILE } from "./style.ts";

/** A mailbox with what the menu of each of its pages shows. */
export interface OpenPage {
  caller: CallerCtx;
  mailbox: OpenMailbox;
  folders: Awaited<ReturnType<OpenMailbox["store"]["listFolders"]>>;
}

interface WebmailLayoutProps extends OpenPage {
  title: string;
  /** The folder that the page shows, or `scheduled` or `compose`. */
  current: string;
  children?: Child;
}

/** The layout of the pages of a mailbox: bar, folders, content. */
export const WebmailLayout = ({ caller, mailbox, folders, title, current, children }: WebmailLayoutProps) => (
  <Document title={`${title} - ${mailbox.address}`} script styles={[`/mail/assets/${WEBMAIL_STYLE_FILE}`]}>
    <header class="bar">
      <span class="who">{mailbox.address}</span>
      {caller.actor.kind === "mailbox" ? (
        <form class="inline" method="post" action="/mail/sign-out">
          <button class="link" type="submit">
            Sign out
          </button>
        </form>
      ) : (
        <nav aria-label="Main">
          <a href="/mail">Other mailboxes</a>
          <a href="/app">Dashboard</a>
        </nav>
      )}
    </header>
    <div class="webmail">
      <nav class="folders" aria-label="Folders">
        <a class="button" href={composePath(mailbox.id)}>
          Write
        </a>
        {folders.map(({ name, unseen }) => (
          <a href={folderPath(mailbox.id, name)} aria-current={name === current ? "page" : undefined}>
            <span>{name === "INBOX" ? "Inbox" : name}</span>
            {unseen > 0 ? <span class="soft">{unseen} new</span> : null}
          </a>
        ))}
        <a href={scheduledPath(mailbox.id)} aria-current={current === "scheduled" ? "page" : undefined}>
          Scheduled
        </a>
      </nav>
      <main id="main">
        {mailbox.openedAs === null ? null : (
          <Notice kind="warn">Opened as {mailbox.openedAs} of the workspace. This is recorded in the audit log.</Notice>
        )}
        {children}
      </main>
    </div>
  </Document>
);
