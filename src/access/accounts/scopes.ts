/** The meaning of each scope, and the scopes of each role (docs/contract/scopes.md#required-scopes). */

const actions = {
  emails: ["send", "view"],
  contacts: ["view", "manage"],
  events: ["send"],
  templates: ["view", "manage"],
  broadcasts: ["view", "manage", "send"],
  domains: ["view", "manage"],
  mailboxes: ["view", "manage"],
  inbox: ["read", "write"],
  smtp: ["view", "manage"],
  automations: ["view", "manage"],
  webhooks: ["view", "manage"],
  analytics: ["view"],
  notifications: ["view", "manage"],
  team: ["view", "manage"],
} as const;

type Actions = typeof actions;
export type Scope = { [Noun in keyof Actions]: `${Noun}:${Actions[Noun][number]}` }[keyof Actions];

/** Every scope with a description for the users who grant it. */
export const scopes: Readonly<Record<Scope, string>> = {
  "emails:send": "Send, schedule, cancel and retry emails.",
  "emails:view": "See emails, their status and their events.",
  "contacts:view": "See contact lists, contacts and suppressed addresses.",
  "contacts:manage": "Change contact lists, contacts and suppressed addresses.",
  "events:send": "Send events of persons.",
  "templates:view": "See templates.",
  "templates:manage": "Change templates.",
  "broadcasts:view": "See broadcasts and their figures.",
  "broadcasts:manage": "Change broadcasts.",
  "broadcasts:send": "Send, promote and cancel broadcasts.",
  "automations:view": "See automations and who is inside.",
  "automations:manage": "Change, activate and pause automations, and take people out.",
  "domains:view": "See domains, transfers, forwarding rules and the inbound log.",
  "domains:manage": "Change domains, transfers and forwarding rules.",
  "mailboxes:view": "See mailboxes.",
  "mailboxes:manage": "Create, change and delete mailboxes with their mail, and choose who may open them.",
  "inbox:read": "Read mail in mailboxes.",
  "inbox:write": "Send from mailboxes, and file and delete their mail.",
  "smtp:view": "See SMTP credentials.",
  "smtp:manage": "Create and revoke SMTP credentials.",
  "webhooks:view": "See webhooks and their deliveries.",
  "webhooks:manage": "Change webhooks.",
  "analytics:view": "See analytics.",
  "notifications:view": "See notifications.",
  "notifications:manage": "Mark notifications read and change preferences.",
  "team:view": "See the workspace, its members and API keys.",
  "team:manage": "Change the workspace, its members and API keys, and see its audit log.",
};

/**
 * Scopes of the service's own programs. Each has a credential of its own: a token that a command of the operator signs with
 * a master key for one purpose, the secret of the mail gateway, or the token of monitoring. No user, API key, OAuth client
 * or mailbox can hold one, so they are no `Scope`.
 */
export const serviceScopes = [
  "operator:bootstrap",
  "operator:sign-in",
  "operator:backup",
  "operator:rotation",
  "gateway",
  "metrics",
] as const;
export type ServiceScope = (typeof serviceScopes)[number];

/**
 * `any`: every authenticated caller. `session`: a user who signed in, no API key. `platform_admin`: such a user who administers the
 * platform. `page`: a page of the dashboard, which sends visitors without a session to the sign-in page. `public`: no authentication.
 */
export type RequiredScope = Scope | ServiceScope | "any" | "session" | "platform_admin" | "page" | "public";

/** Returns whether a route is for a program of the service itself, whose credential is not that of a user. */
export const isServiceScope = (need: RequiredScope): need is ServiceScope =>
  (serviceScopes as readonly RequiredScope[]).includes(need);

const everyScope = Object.keys(scopes) as Scope[];
const deniedToMembers: readonly Scope[] = [
  "team:manage",
  "domains:manage",
  "smtp:manage",
  "webhooks:manage",
  "mailboxes:manage",
];

/** The scopes of each role. A key or token never has more than the role of its user. */
export const roleScopes: Readonly<Record<"owner" | "admin" | "member", readonly Scope[]>> = {
  owner: everyScope,
  admin: everyScope,
  member: everyScope.filter((scope) => !deniedToMembers.includes(scope)),
};

/** The rights of a member `m` at most, as its row has them. Each credential reads it anew. */
export interface Standing {
  role: "owner" | "admin" | "member";
  /** 1: the member sees only the mailboxes that it is assigned to. */
  mailboxes_only: 0 | 1;
}
export const STANDING_SQL = "m.role, m.mailboxes_only";

/** The scopes of a member that sees only its mailboxes. */
const mailboxScopes: readonly Scope[] = ["mailboxes:view", "inbox:read", "inbox:write"];

/** Returns the effective scopes of a credential: those granted (`*` grants all, `manage` implies `view`) that the user's standing allows. */
export function effectiveScopes(granted: readonly string[], standing: Standing): ReadonlySet<Scope> {
  const isGranted = (scope: Scope) =>
    granted.includes("*") ||
    granted.includes(scope) ||
    (scope.endsWith(":view") && granted.includes(scope.replace(":view", ":manage")));
  // A row without the column is of a query that forgot it.
  const allowed = standing.mailboxes_only === 0 ? roleScopes[standing.role] : mailboxScopes;
  return new Set(allowed.filter(isGranted));
}
