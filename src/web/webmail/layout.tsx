import type { Child } from "hono/jsx";
import type { CallerCtx } from "../../access/caller.ts";
import {
  ButtonLink,
  Document,
  files,
  Icon,
  type IconName,
  Mark,
  MenuLink,
  NextPage,
  Notice,
  PostLink,
  useViewer,
} from "../../http/ui/index.ts";
import type { OpenMailbox } from "../../mailboxes/inbox/index.ts";
import type { Folder, Label } from "../../mailboxes/mailbox-store/index.ts";
import { composePath, eventsPath, folderPath, folderTitle, labelPath, scheduledPath, settingsPath } from "./paths.ts";
import type { Sent } from "./sent.ts";
import { toSize } from "./size.ts";
import { SentToast } from "./toasts.tsx";

/** A mailbox with what the menu of each of its pages shows. */
export interface OpenPage {
  caller: CallerCtx;
  mailbox: OpenMailbox;
  folders: Folder[];
  labels: Label[];
  usedBytes: number;
  /** A message that was just sent, which the page says. */
  sent?: Sent | undefined;
}

interface WebmailLayoutProps extends OpenPage {
  title: string;
  /** The folder or the id of the label that the page shows, or `scheduled`, `settings` or `compose`. */
  current: string;
  children?: Child;
}

/** The layout of the pages of a mailbox: bar, menu of folders and labels, content. */
export const WebmailLayout = ({ title, current, children, ...page }: WebmailLayoutProps) => (
  <Document
    title={title}
    of={page.mailbox.address}
    kind="app webmail"
    script={files.webmailScript}
    styles={[files.webmailStyle]}
  >
    <Bar {...page} />
    <Menu {...page} current={current} />
    <main id="main" data-events={eventsPath(page.mailbox.id)}>
      {page.mailbox.openedAs === null ? null : (
        <Notice kind="warn">
          Opened as {page.mailbox.openedAs} of the workspace. This is recorded in the audit log.
        </Notice>
      )}
      {page.sent === undefined ? null : <SentToast mailboxId={page.mailbox.id} sent={page.sent} />}
      {children}
      <NextPage />
      {current === "compose" || current === "settings" ? null : (
        <ButtonLink
          to={composePath(page.mailbox.id, backTo(page.folders, page.labels, current))}
          label="Write"
          icon="edit"
          kind="write"
        />
      )}
    </main>
  </Document>
);

/** Says what the user has just done, in the content of a page. */
export function DoneNotice() {
  const { notice } = useViewer();
  return notice === undefined ? null : <Notice kind="good">{notice}</Notice>;
}

const Bar = ({ caller, mailbox }: OpenPage) => (
  <header class="bar">
    <button class="bare menu" type="button" popovertarget="menu" aria-label="Folders">
      <Icon name="menu" />
    </button>
    <a class="home" href="/mail" aria-label="Webmail">
      <Mark />
    </a>
    <span class="who">{mailbox.address}</span>
    {caller.actor.kind === "mailbox" ? (
      <PostLink to="/mail/sign-out" label="Sign out" />
    ) : (
      <nav aria-label="Main">
        {ELSEWHERE.map(({ path, name }) => (
          <a href={path}>{name}</a>
        ))}
      </nav>
    )}
  </header>
);

/** Where a user of the dashboard goes from here. */
const ELSEWHERE = [
  { path: "/mail", name: "Mailboxes", icon: "mail" },
  { path: "/app", name: "Dashboard", icon: "grid" },
  { path: "/docs", name: "Reference", icon: "book" },
] as const;

const ICONS: Readonly<Record<string, IconName>> = {
  INBOX: "inbox",
  Drafts: "edit",
  Sent: "send",
  Archive: "archive",
  Spam: "alert",
  Trash: "trash",
};

function Menu({ caller, mailbox, folders, labels, usedBytes, current }: OpenPage & { current: string }) {
  const { id, quotaBytes } = mailbox;
  const mark = (name: string) => (name === current ? "page" : undefined);
  return (
    <nav id="menu" popover="auto" aria-label="Folders">
      <ButtonLink
        to={composePath(id, backTo(folders, labels, current))}
        label="Write"
        icon="edit"
        kind="wide"
        hotkey="c"
      />
      <div class="group" id="folders" data-live="">
        {folders.map(({ name, unseen }) => (
          <a id={`folder-${encodeURIComponent(name)}`} href={folderPath(id, name)} aria-current={mark(name)}>
            <Icon name={ICONS[name] ?? "folder"} />
            <span>{folderTitle(name)}</span>
            {unseen > 0 ? <span class="soft">{unseen} new</span> : null}
          </a>
        ))}
      </div>
      <div class="group">
        <MenuLink path={scheduledPath(id)} name="Scheduled" icon="clock" isCurrent={current === "scheduled"} />
      </div>
      {labels.length === 0 ? null : (
        <div class="group">
          <p>Labels</p>
          {labels.map((label) => (
            <a href={labelPath(id, label.id)} aria-current={mark(label.id)}>
              <span>
                <Dot color={label.color} /> {label.name}
              </span>
            </a>
          ))}
        </div>
      )}
      <div class="group">
        <MenuLink
          path={settingsPath(id, "signature")}
          name="Settings"
          icon="settings"
          isCurrent={current === "settings"}
        />
        <p>
          {quotaBytes === null ? `${toSize(usedBytes)} used` : `${toSize(usedBytes)} of ${toSize(quotaBytes)} used`}
        </p>
        <p data-keys="" />
      </div>
      {caller.actor.kind === "mailbox" ? null : (
        <div class="group narrow-only">
          {ELSEWHERE.map((entry) => (
            <MenuLink {...entry} />
          ))}
        </div>
      )}
    </nav>
  );
}

/** Returns the query that leads back from a new message to the folder or label that the page shows. */
function backTo(folders: readonly Folder[], labels: readonly Label[], current: string): Record<string, string> {
  if (labels.some(({ id }) => id === current)) return { label: current };
  return folders.some(({ name }) => name === current) && current !== "INBOX" ? { folder: current } : {};
}

/** A dot in the colour of a label. The name beside it says the same. */
export const Dot = ({ color }: { color: string }) => (
  <svg class="dot" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
    <circle cx="5" cy="5" r="5" fill={color} />
  </svg>
);
