import type { Scope } from "../../access/accounts/index.ts";
import type { CallerCtx } from "../../access/caller.ts";

interface Entry {
  path: string;
  name: string;
  /** A scope of the role, or that of administrators of the platform. */
  scope?: Scope | typeof PLATFORM_ADMIN;
}

const PLATFORM_ADMIN = "platform_admin";

const GROUPS: readonly { name: string; entries: readonly Entry[] }[] = [
  {
    name: "Mail",
    entries: [
      { path: "/app", name: "Home" },
      { path: "/app/emails", name: "Emails", scope: "emails:view" },
      { path: "/app/broadcasts", name: "Broadcasts", scope: "broadcasts:view" },
      { path: "/app/templates", name: "Templates", scope: "templates:view" },
      { path: "/app/contacts", name: "Contacts", scope: "contacts:view" },
      { path: "/app/suppressions", name: "Suppressions", scope: "contacts:view" },
      { path: "/app/analytics", name: "Analytics", scope: "analytics:view" },
    ],
  },
  {
    name: "Setup",
    entries: [
      { path: "/app/domains", name: "Domains", scope: "domains:view" },
      { path: "/app/transfers", name: "Transfers", scope: "domains:view" },
      { path: "/app/mailboxes", name: "Mailboxes", scope: "mailboxes:view" },
      { path: "/app/forwarding", name: "Forwarding", scope: "domains:view" },
      { path: "/app/inbound", name: "Inbound log", scope: "domains:view" },
      { path: "/app/smtp", name: "SMTP", scope: "smtp:view" },
      { path: "/app/api-keys", name: "API keys", scope: "team:view" },
      { path: "/app/webhooks", name: "Webhooks", scope: "webhooks:view" },
    ],
  },
  {
    name: "Workspace",
    entries: [
      { path: "/app/team", name: "Team", scope: "team:view" },
      { path: "/app/audit", name: "Audit log", scope: "team:manage" },
      { path: "/app/settings", name: "Settings", scope: "team:view" },
    ],
  },
  {
    name: "You",
    entries: [
      { path: "/app/notifications", name: "Notifications", scope: "notifications:view" },
      { path: "/app/grants", name: "Connected programs" },
      { path: "/app/security", name: "Security" },
    ],
  },
  {
    name: "Platform",
    entries: [
      { path: "/app/admin/accounts", name: "Accounts", scope: PLATFORM_ADMIN },
      { path: "/app/admin/workspaces", name: "Workspaces", scope: PLATFORM_ADMIN },
      { path: "/app/admin/domain-claims", name: "Domain claims", scope: PLATFORM_ADMIN },
      { path: "/app/admin/transfers", name: "Force transfer", scope: PLATFORM_ADMIN },
      { path: "/app/admin/outboxes/main", name: "Outboxes", scope: PLATFORM_ADMIN },
      { path: "/app/admin/dead-letters", name: "Dead letters", scope: PLATFORM_ADMIN },
      { path: "/app/admin/blocked-hosts", name: "Blocked hosts", scope: PLATFORM_ADMIN },
      { path: "/app/admin/audit", name: "Platform audit", scope: PLATFORM_ADMIN },
    ],
  },
];

/** The bar with the caller, and the menu: a column in wide windows, opened by a button in narrow ones. `at`: a path or title. */
export function Menu({ caller: { actor, workspace }, at }: { caller: CallerCtx; at: string }) {
  const isPlatformAdmin = actor.kind === "session" && actor.isPlatformAdmin;
  const mayOpen = ({ scope }: Entry) =>
    scope === undefined || (scope === PLATFORM_ADMIN ? isPlatformAdmin : actor.scopes.has(scope));
  const groups = GROUPS.map(({ name, entries }) => ({ name, entries: entries.filter(mayOpen) }));
  return (
    <>
      <header class="bar">
        <button class="quiet menu" type="button" popovertarget="menu">
          Menu
        </button>
        <span class="who">
          {workspace.name} <span class="soft">{actor.email}</span>
        </span>
        <form class="inline" method="post" action="/auth/logout">
          <button class="link" type="submit">
            Sign out
          </button>
        </form>
      </header>
      <nav id="menu" popover="auto" aria-label="Main">
        {groups
          .filter(({ entries }) => entries.length > 0)
          .map(({ name, entries }) => (
            <div class="group">
              <p>{name}</p>
              {entries.map((entry) => (
                <a href={entry.path} aria-current={entry.path === at || entry.name === at ? "page" : undefined}>
                  {entry.name}
                </a>
              ))}
            </div>
          ))}
      </nav>
    </>
  );
}
