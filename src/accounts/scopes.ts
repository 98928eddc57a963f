/**
 * Which scope each route needs, what each scope means, and what each role may do (decisions 3). A route
 * that is missing here cannot be called at all, and a test fails.
 */

const areas = {
  emails: ["send", "view"],
  contacts: ["view", "manage"],
  templates: ["view", "manage"],
  broadcasts: ["view", "manage", "send"],
  domains: ["view", "manage"],
  mailboxes: ["view", "manage"],
  inbox: ["read", "write"],
  smtp: ["view", "manage"],
  webhooks: ["view", "manage"],
  analytics: ["view"],
  notifications: ["view", "manage"],
  team: ["view", "manage"],
} as const;

type Areas = typeof areas;
export type Scope = { [Area in keyof Areas]: `${Area}:${Areas[Area][number]}` }[keyof Areas];

/** Every scope with a plain sentence for the people who grant it. */
export const scopes: Readonly<Record<Scope, string>> = {
  "emails:send": "Send, schedule, cancel and retry emails.",
  "emails:view": "See emails, their status and their events.",
  "contacts:view": "See contact lists, contacts and suppressed addresses.",
  "contacts:manage": "Change contact lists, contacts and suppressed addresses.",
  "templates:view": "See templates.",
  "templates:manage": "Change templates.",
  "broadcasts:view": "See broadcasts and their figures.",
  "broadcasts:manage": "Change broadcasts.",
  "broadcasts:send": "Send, promote and cancel broadcasts.",
  "domains:view": "See domains, transfers, forwarding rules and the inbound log.",
  "domains:manage": "Change domains, transfers and forwarding rules.",
  "mailboxes:view": "See mailboxes.",
  "mailboxes:manage": "Change mailboxes.",
  "inbox:read": "Read mail in mailboxes.",
  "inbox:write": "Send from mailboxes, and file and delete their mail.",
  "smtp:view": "See SMTP credentials.",
  "smtp:manage": "Create and revoke SMTP credentials.",
  "webhooks:view": "See webhooks and their deliveries.",
  "webhooks:manage": "Change webhooks.",
  "analytics:view": "See analytics.",
  "notifications:view": "See notifications.",
  "notifications:manage": "Mark notifications read and change preferences.",
  "team:view": "See the workspace, its members, API keys and audit log.",
  "team:manage": "Change the workspace, its members and API keys.",
};

/** `any`: every authenticated caller. `public`: nobody has to say who they are. */
export type Need = Scope | "any" | "public";

/** Method and path, as mounted, to what the caller needs. */
export const routeNeeds: Readonly<Record<string, Need>> = {
  "GET /openapi.json": "public",
  "GET /health": "public",
  "GET /t/o/:token": "public",
  "GET /t/c/:token": "public",
  "GET /u/:token": "public",
  "POST /u/:token": "public",
  "GET /v1/me": "any",
  "POST /v1/emails/": "emails:send",
  "POST /v1/emails/validate": "emails:send",
  "POST /v1/emails/batch": "emails:send",
  "GET /v1/emails/": "emails:view",
  "GET /v1/emails/:email_id": "emails:view",
  "GET /v1/emails/:email_id/events": "emails:view",
  "GET /v1/emails/scheduled": "emails:view",
  "PATCH /v1/emails/scheduled/:email_id": "emails:send",
  "DELETE /v1/emails/scheduled/:email_id": "emails:send",
  "POST /v1/emails/scheduled/:email_id/send-now": "emails:send",
  "POST /v1/emails/:email_id/retry": "emails:send",
  "GET /v1/emails/updates": "emails:view",
  "GET /v1/emails/search": "emails:view",
  "GET /v1/emails/saved-searches": "emails:view",
  "PUT /v1/emails/saved-searches": "emails:view",
  "POST /v1/domains/": "domains:manage",
  "GET /v1/domains/": "domains:view",
  "GET /v1/domains/:domain_id": "domains:view",
  "POST /v1/domains/:domain_id/verify": "domains:manage",
  "POST /v1/domains/:domain_id/dkim/rotate": "domains:manage",
  "DELETE /v1/domains/:domain_id": "domains:manage",
  "POST /v1/mailboxes/": "mailboxes:manage",
  "GET /v1/mailboxes/": "mailboxes:view",
  "GET /v1/mailboxes/:mailbox_id": "mailboxes:view",
  "PATCH /v1/mailboxes/:mailbox_id": "mailboxes:manage",
  "DELETE /v1/mailboxes/:mailbox_id": "mailboxes:manage",
  "PUT /v1/mailboxes/:mailbox_id/assignees": "mailboxes:manage",
  "POST /v1/api-keys/": "team:manage",
  "GET /v1/api-keys/": "team:view",
  "POST /v1/api-keys/:api_key_id/rotate": "team:manage",
  "DELETE /v1/api-keys/:api_key_id": "team:manage",
  "GET /v1/suppressions/": "contacts:view",
  "POST /v1/suppressions/": "contacts:manage",
  "DELETE /v1/suppressions/:email": "contacts:manage",
  "GET /v1/workspaces/": "team:view",
  "GET /v1/workspaces/:workspace_id": "team:view",
  "DELETE /v1/workspaces/:workspace_id": "team:manage",
};

const everyScope = Object.keys(scopes) as Scope[];
const closedToMembers: readonly Scope[] = ["team:manage", "domains:manage", "smtp:manage", "webhooks:manage"];

/** What each role may do at most. A key or token never has more than its maker's role. */
export const roleScopes: Readonly<Record<"owner" | "admin" | "member", readonly Scope[]>> = {
  owner: everyScope,
  admin: everyScope,
  member: everyScope.filter((scope) => !closedToMembers.includes(scope)),
};

/**
 * The scopes a credential has in effect: what was granted (`*` is everything, `manage` implies `view`),
 * cut down to what the role of the person behind it allows now.
 */
export function effectiveScopes(granted: readonly string[], role: "owner" | "admin" | "member"): ReadonlySet<Scope> {
  const holds = (scope: Scope) =>
    granted.includes("*") ||
    granted.includes(scope) ||
    (scope.endsWith(":view") && granted.includes(scope.replace(":view", ":manage")));
  return new Set(roleScopes[role].filter(holds));
}
