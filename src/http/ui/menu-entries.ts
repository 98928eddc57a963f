import type { Scope } from "../../access/accounts/scopes.ts";
import type { CallerCtx } from "../../access/caller.ts";
import type { IconName } from "./icon.tsx";

/** A page that the menu leads to. */
export interface MenuEntry {
  path: string;
  name: string;
  icon: IconName;
  /** A scope of the role that the page needs. */
  scope?: Scope;
}

export interface MenuGroup {
  /** Null: its entries stand for themselves. */
  name: string | null;
  entries: readonly MenuEntry[];
}

/** The pages of the mail, by what people do. All of them are visible in a window that is 720 px high. */
const GROUPS: readonly MenuGroup[] = [
  {
    name: null,
    entries: [
      { path: "/app", name: "Home", icon: "home" },
      { path: "/app/analytics", name: "Analytics", icon: "chart", scope: "analytics:view" },
    ],
  },
  {
    name: "Send",
    entries: [
      { path: "/app/emails", name: "Emails", icon: "mail", scope: "emails:view" },
      { path: "/app/broadcasts", name: "Broadcasts", icon: "broadcast", scope: "broadcasts:view" },
      { path: "/app/automations", name: "Automations", icon: "play", scope: "automations:view" },
      { path: "/app/templates", name: "Templates", icon: "template", scope: "templates:view" },
    ],
  },
  {
    name: "Audience",
    entries: [
      { path: "/app/contacts", name: "Contacts", icon: "people", scope: "contacts:view" },
      { path: "/app/segments", name: "Segments", icon: "grid", scope: "contacts:view" },
      { path: "/app/topics", name: "Topics", icon: "list", scope: "contacts:view" },
      { path: "/app/forms", name: "Forms", icon: "edit", scope: "contacts:view" },
      { path: "/app/suppressions", name: "Suppressions", icon: "ban", scope: "contacts:view" },
    ],
  },
  {
    name: "Develop",
    entries: [
      { path: "/app/domains", name: "Domains", icon: "globe", scope: "domains:view" },
      { path: "/app/api-keys", name: "API keys", icon: "key", scope: "team:view" },
      { path: "/app/smtp", name: "SMTP", icon: "plug", scope: "smtp:view" },
      { path: "/app/webhooks", name: "Webhooks", icon: "link", scope: "webhooks:view" },
      { path: "/app/inbound", name: "Inbound", icon: "download", scope: "domains:view" },
    ],
  },
  {
    name: null,
    entries: [
      { path: "/app/mailboxes", name: "Mailboxes", icon: "inbox", scope: "mailboxes:view" },
      { path: "/app/forwarding", name: "Forwarding", icon: "forward", scope: "domains:view" },
    ],
  },
];

/** The pages about the workspace itself, which the panel behind its name has. */
const WORKSPACE: readonly MenuEntry[] = [
  { path: "/app/settings", name: "Settings", icon: "settings", scope: "team:view" },
  { path: "/app/team", name: "Team", icon: "user", scope: "team:view" },
  { path: "/app/audit", name: "Audit log", icon: "list", scope: "team:manage" },
  { path: "/app/transfers", name: "Transfers", icon: "swap", scope: "domains:view" },
];

const PLATFORM: readonly MenuEntry[] = [
  { path: "/app/admin/accounts", name: "Accounts", icon: "user" },
  { path: "/app/admin/workspaces", name: "Workspaces", icon: "people" },
  { path: "/app/admin/domain-claims", name: "Domain claims", icon: "globe" },
  { path: "/app/admin/transfers", name: "Force transfer", icon: "swap" },
  { path: "/app/admin/outboxes/main", name: "Outboxes", icon: "send" },
  { path: "/app/admin/receivers", name: "Receivers", icon: "globe" },
  { path: "/app/admin/dead-letters", name: "Dead letters", icon: "trash" },
  { path: "/app/admin/blocked-hosts", name: "Blocked hosts", icon: "ban" },
  { path: "/app/admin/audit", name: "Platform audit", icon: "list" },
];

const ACCOUNT: readonly MenuEntry[] = [
  { path: "/app/notifications", name: "Notifications", icon: "bell", scope: "notifications:view" },
  { path: "/app/security", name: "Security", icon: "shield" },
  { path: "/app/grants", name: "Connected programs", icon: "plug" },
];

interface Menu {
  groups: MenuGroup[];
  workspace: MenuEntry[];
  account: MenuEntry[];
  /** Empty unless the caller administers the platform. */
  platform: MenuEntry[];
}

/** Returns the entries that a caller may open. */
export function menuOf({ actor }: CallerCtx): Menu {
  const isPlatformAdmin = actor.kind === "session" && actor.isPlatformAdmin;
  const groups = GROUPS.map(({ name, entries }) => ({ name, entries: openable(actor, entries) }));
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    workspace: openable(actor, WORKSPACE),
    account: openable(actor, ACCOUNT),
    platform: isPlatformAdmin ? [...PLATFORM] : [],
  };
}

/** Returns the entries whose scope an actor has. */
export const openable = ({ scopes }: CallerCtx["actor"], entries: readonly MenuEntry[]): MenuEntry[] =>
  entries.filter(({ scope }) => scope === undefined || scopes.has(scope));
