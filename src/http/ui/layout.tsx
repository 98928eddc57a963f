import type { Child } from "hono/jsx";
import { Document } from "./document.tsx";
import { Menu, type PageUser } from "./menu.tsx";

interface LayoutProps {
  title: string;
  /** Set on pages for signed-in users: they have a menu and take the whole width. */
  user?: PageUser;
  /** Path of the page in the menu that this page belongs to. */
  at?: string;
  /** Links and buttons beside the title. */
  actions?: Child;
  /** URL that the page opens by itself at once. */
  refreshTo?: string;
  children?: Child;
}

/** The layout of every page. Pages without a user are a narrow column with one card. */
export function Layout({ title, user, at, actions, refreshTo, children }: LayoutProps) {
  return (
    <Document title={title} script={user !== undefined} refreshTo={refreshTo} kind={user ? "app" : undefined}>
      {user ? <Menu user={user} at={at ?? title} /> : null}
      <main id="main" class={user ? undefined : "narrow"}>
        {user ? (
          <>
            <Banners user={user} />
            <div class="title">
              <h1>{title}</h1>
              {actions ? (
                <div class="actions" id="actions" data-live="">
                  {actions}
                </div>
              ) : null}
            </div>
            {children}
          </>
        ) : (
          <section>
            <h1>{title}</h1>
            {children}
          </section>
        )}
      </main>
    </Document>
  );
}

const Banners = ({ user: { restricted, paused } }: { user: PageUser }) => (
  <>
    {restricted ? <p class="notice bad">This account is restricted. It cannot send email.</p> : null}
    {paused ? <p class="notice warn">Sending is paused in this workspace.</p> : null}
  </>
);
