import type { Child } from "hono/jsx";
import { STYLE_FILE } from "./style.ts";

/** The signed-in user as pages show it. */
export interface PageUser {
  email: string;
  workspace: string;
}

interface LayoutProps {
  title: string;
  /** Set on pages for signed-in users: they have a menu and take the whole width. */
  user?: PageUser;
  /** URL that the page opens by itself at once. */
  refreshTo?: string;
  children?: Child;
}

/** The layout of every page. Pages without a user are a narrow column with one card. */
export function Layout({ title, user, refreshTo, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        {refreshTo === undefined ? null : <meta http-equiv="refresh" content={`0;url=${refreshTo}`} />}
        <title>{title}</title>
        <link rel="stylesheet" href={`/assets/${STYLE_FILE}`} />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        {user ? <Menu user={user} title={title} /> : null}
        <main id="main" class={user ? undefined : "narrow"}>
          {user ? (
            <>
              <h1>{title}</h1>
              {children}
            </>
          ) : (
            <section>
              <h1>{title}</h1>
              {children}
            </section>
          )}
        </main>
      </body>
    </html>
  );
}

/** The pages of the menu: path and title. */
const MENU = [
  ["/app", "Home"],
  ["/app/api-keys", "API keys"],
  ["/app/grants", "Connected programs"],
  ["/app/security", "Security"],
] as const;

function Menu({ user, title }: { user: PageUser; title: string }) {
  return (
    <header class="bar">
      <nav aria-label="Main">
        {MENU.map(([path, name]) => (
          <a href={path} aria-current={name === title ? "page" : undefined}>
            {name}
          </a>
        ))}
      </nav>
      <span>
        {user.email}, {user.workspace}
      </span>
      <form class="inline" method="post" action="/auth/logout">
        <button class="link" type="submit">
          Sign out
        </button>
      </form>
    </header>
  );
}
