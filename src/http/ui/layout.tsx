import type { Child } from "hono/jsx";
import type { CallerCtx } from "../../access/caller.ts";
import { VERSION } from "../../lib/version.ts";
import { pausedSources } from "../../platform/bulk-pauses/rules.ts";
import { Document } from "./document.tsx";
import { Notice } from "./form.tsx";
import { files } from "./generated/files.ts";
import { Header } from "./header.tsx";
import { Icon, Mark } from "./icon.tsx";
import { Menu } from "./menu.tsx";
import { Toast } from "./toast.tsx";
import { useViewer } from "./viewer.tsx";

interface LayoutProps {
  title: string;
  /** Set on pages for signed-in users: they have a menu and take the whole width. */
  caller?: CallerCtx;
  /** Path of the page in the menu that this page belongs to. */
  at?: string;
  /** Links and buttons beside the title. */
  actions?: Child;
  /** Above the content: what the user has just done. */
  notice?: Child | undefined;
  /** Text of the search over everything whose results the page shows. */
  query?: string;
  /** URL that the page opens by itself at once. */
  refreshTo?: string;
  children?: Child;
}

/** The layout of every page. Pages without a caller are a narrow column with one card. */
export function Layout({ title, caller, at, actions, notice, query, refreshTo, children }: LayoutProps) {
  return (
    <Document
      title={title}
      of={caller?.workspace.name}
      script={caller && files.script}
      styles={caller && [files.dashboardStyle]}
      refreshTo={refreshTo}
      kind={caller ? "app" : undefined}
    >
      {caller ? (
        <>
          <Header caller={caller} query={query} />
          <Menu caller={caller} at={at ?? title} />
        </>
      ) : null}
      <main id="main" class={caller ? undefined : "narrow"}>
        {caller ? (
          <>
            <Banners caller={caller} />
            <div class="title">
              <h1>{title}</h1>
              {actions ? (
                <div class="actions" id="actions" data-live="">
                  {actions}
                </div>
              ) : null}
            </div>
            {notice === undefined ? null : <Toast>{notice}</Toast>}
            {children}
            <Foot />
          </>
        ) : (
          <>
            <Mark size={40} />
            <section>
              <h1>{title}</h1>
              {children}
            </section>
          </>
        )}
      </main>
    </Document>
  );
}

/** The end of each page of the dashboard. */
const Foot = () => (
  <footer class="foot">
    {useViewer().service} {VERSION} · <a href="/status">Status</a>
  </footer>
);

const Banners = ({ caller: { actor, workspace } }: { caller: CallerCtx }) => (
  <>
    {actor.restricted ? (
      <p class="notice bad">
        <Icon name="alert" />
        This account is restricted. It cannot send email.
      </p>
    ) : null}
    {workspace.sendingPaused ? <Notice kind="warn">Sending is paused in this workspace.</Notice> : null}
    {workspace.bulkPause > 0 ? (
      <Notice kind="warn">
        Too many emails bounced or were marked as spam, so this mail is paused:{" "}
        {pausedSources(workspace.bulkPause).join(", ")}. <a href="/app/settings#paused-mail">Resume it</a>
      </Notice>
    ) : null}
  </>
);
