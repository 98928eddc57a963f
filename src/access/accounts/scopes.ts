import { adminScopes } from "./admin-scopes.ts";
import { compatScopes } from "./compat-scopes.ts";
import { dashboardRoutes } from "./dashboard-routes.ts";
import { forwardingScopes } from "./forwarding-scopes.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { inboxScopes } from "./inbox-scopes.ts";
import { operatorRoutes } from "./operator-routes.ts";
import { referenceRoutes } from "./reference-routes.ts";
import { reportingScopes } from "./reporting-scopes.ts";
import { webhookScopes } from "./webhook-scopes.ts";
import { webmailRoutes } from "./webmail-routes.ts";

/**
 * The scope that each route requires, the meaning of each scope, and the scopes of each role
 * (docs/contract/scopes.md#required-scopes). A route that is missing here answers 500, and a test fails.
 */

const actions = {
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

type Actions = typeof actions;
export type Scope = { [Noun in keyof Actions]: `${Noun}:${Actions[Noun][number]}` }[keyof Actions];

/** Every scope with a description for the users who grant it. */
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
 * a master key for one purpose, the secret of the SMTP gateway, or the token of monitoring. No user, API key, OAuth client
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
 * `any`: every authenticated caller. `session`: a user who signed in, no API key. `platform_admin`: such a user who
 * administers the platform. `page`: a page of the dashboard, which sends visitors without a session to the sign-in page.
 * `public`: no authentication.
 */
export type RequiredScope = Scope | ServiceScope | "any" | "session" | "platform_admin" | "page" | "public";

/** Returns whether a route is for a program of the service itself, whose credential is not that of a user. */
export const isServiceScope = (need: RequiredScope): need is ServiceScope =>
  (serviceScopes as readonly RequiredScope[]).includes(need);

/** The scope that each route requires, by method and mounted path. */
export const routeScopes: Readonly<Record<string, RequiredScope>> = {
  ...dashboardRoutes,
  "GET /openapi.json": "public",
  "GET /health": "public",
  "GET /ready": "public",
  "GET /metrics": "metrics",
  "GET /t/o/:token": "public",
  "GET /t/c/:token": "public",
  "GET /u/:token": "public",
  "POST /u/:token": "public",
  "POST /auth/refresh": "public",
  "POST /auth/logout": "public",
  "POST /auth/workspace": "session",
  "GET /auth/sign-in": "public",
  "POST /auth/magic-link": "public",
  "GET /auth/magic-link/:token": "public",
  "POST /auth/magic-link/:token": "public",
  "GET /auth/totp": "public",
  "POST /auth/totp": "public",
  "POST /auth/bootstrap": "operator:bootstrap",
  "POST /auth/operator-session": "operator:sign-in",
  "POST /auth/operator-sign-in-link": "operator:sign-in",
  "POST /auth/rotate-secrets": "operator:rotation",
  "POST /auth/master-keys": "operator:rotation",
  ...operatorRoutes,
  ...gatewayRoutes,
  ...referenceRoutes,
  "GET /auth/google": "public",
  "GET /auth/google/callback": "public",
  "GET /auth/github": "public",
  "GET /auth/github/callback": "public",
  ...webmailRoutes,
  "POST /v1/webmail/login": "public",
  "POST /v1/webmail/refresh": "public",
  "POST /v1/webmail/logout": "public",
  "POST /v1/auth/totp/setup": "session",
  "POST /v1/auth/totp/enable": "session",
  "POST /v1/auth/totp/disable": "session",
  "POST /v1/auth/reauth": "session",
  "GET /v1/me": "any",
  "GET /v1/sessions/": "session",
  "DELETE /v1/sessions/:session_id": "session",
  "GET /.well-known/oauth-authorization-server": "public",
  "GET /.well-known/oauth-protected-resource": "public",
  "GET /.well-known/oauth-protected-resource/mcp": "public",
  "POST /oauth/register": "public",
  "GET /oauth/authorize": "public",
  "POST /oauth/authorize": "public",
  "POST /oauth/token": "public",
  "POST /oauth/revoke": "public",
  "POST /mcp": "any",
  "GET /v1/oauth/grants": "session",
  "DELETE /v1/oauth/grants/:grant_id": "session",
  "POST /v1/emails/": "emails:send",
  "POST /v1/emails/validate": "emails:send",
  "POST /v1/emails/batch": "emails:send",
  "GET /v1/emails/": "emails:view",
  "GET /v1/emails/:email_id": "emails:view",
  "GET /v1/emails/:email_id/events": "emails:view",
  "GET /v1/emails/:email_id/source": "emails:view",
  "GET /v1/emails/scheduled": "emails:view",
  "PATCH /v1/emails/scheduled/:email_id": "emails:send",
  "DELETE /v1/emails/scheduled/:email_id": "emails:send",
  "POST /v1/emails/scheduled/:email_id/send-now": "emails:send",
  "POST /v1/emails/:email_id/retry": "emails:send",
  "GET /v1/emails/updates": "emails:view",
  "GET /v1/emails/search": "emails:view",
  "GET /v1/emails/saved-searches": "emails:view",
  "PUT /v1/emails/saved-searches": "emails:view",
  ...forwardingScopes,
  "POST /v1/domains/": "domains:manage",
  "GET /v1/domains/": "domains:view",
  "GET /v1/domains/:domain_id": "domains:view",
  "POST /v1/domains/:domain_id/verify": "domains:manage",
  "POST /v1/domains/:domain_id/dkim/rotate": "domains:manage",
  "DELETE /v1/domains/:domain_id": "domains:manage",
  "POST /v1/domains/:domain_id/transfer": "domains:manage",
  "GET /v1/domain-transfers/incoming": "domains:view",
  "GET /v1/domain-transfers/outgoing": "domains:view",
  "GET /v1/domain-transfers/accept-eligibility": "domains:view",
  "POST /v1/domain-transfers/:token/accept": "domains:manage",
  "POST /v1/domain-transfers/by-id/:transfer_id/accept": "domains:manage",
  "POST /v1/domain-transfers/:transfer_id/decline": "domains:manage",
  "DELETE /v1/domain-transfers/:transfer_id": "domains:manage",
  "POST /v1/domain-transfers/stop/:stop_token": "domains:manage",
  "POST /v1/admin/domain-transfers/:domain_id": "platform_admin",
  "GET /domain-transfers/accept/:token": "page",
  "POST /domain-transfers/accept/:token": "page",
  "GET /domain-transfers/stop/:token": "page",
  "POST /domain-transfers/stop/:token": "page",
  "POST /v1/mailboxes/": "mailboxes:manage",
  "GET /v1/mailboxes/": "mailboxes:view",
  "GET /v1/mailboxes/:mailbox_id": "mailboxes:view",
  // An assigned user without `mailboxes:manage` may change the display name and the password (src/mailboxes/mailboxes/rights.ts).
  "PATCH /v1/mailboxes/:mailbox_id": "mailboxes:view",
  "DELETE /v1/mailboxes/:mailbox_id": "mailboxes:manage",
  "PUT /v1/mailboxes/:mailbox_id/password": "inbox:write",
  "PUT /v1/mailboxes/:mailbox_id/assignees": "mailboxes:manage",
  ...inboxScopes,
  ...compatScopes,
  ...webhookScopes,
  ...reportingScopes,
  ...adminScopes,
  "POST /v1/api-keys/": "team:manage",
  "GET /v1/api-keys/": "team:view",
  "POST /v1/api-keys/:api_key_id/rotate": "team:manage",
  "DELETE /v1/api-keys/:api_key_id": "team:manage",
  "POST /v1/smtp-credentials/": "smtp:manage",
  "GET /v1/smtp-credentials/": "smtp:view",
  "DELETE /v1/smtp-credentials/:credential_id": "smtp:manage",
  "GET /v1/suppressions/": "contacts:view",
  "POST /v1/suppressions/": "contacts:manage",
  "DELETE /v1/suppressions/:email": "contacts:manage",
  "GET /v1/broadcasts/": "broadcasts:view",
  "POST /v1/broadcasts/": "broadcasts:manage",
  "GET /v1/broadcasts/:broadcast_id": "broadcasts:view",
  "PATCH /v1/broadcasts/:broadcast_id": "broadcasts:manage",
  "DELETE /v1/broadcasts/:broadcast_id": "broadcasts:manage",
  "POST /v1/broadcasts/:broadcast_id/send": "broadcasts:send",
  "POST /v1/broadcasts/:broadcast_id/promote/:variant_id": "broadcasts:send",
  "POST /v1/broadcasts/:broadcast_id/test": "broadcasts:send",
  "GET /v1/broadcasts/:broadcast_id/audience": "broadcasts:view",
  "GET /v1/broadcasts/:broadcast_id/recipients": "broadcasts:view",
  "GET /v1/broadcasts/:broadcast_id/top-links": "broadcasts:view",
  "POST /v1/broadcasts/:broadcast_id/cancel": "broadcasts:send",
  "POST /v1/broadcasts/:broadcast_id/pause": "broadcasts:send",
  "POST /v1/broadcasts/:broadcast_id/resume": "broadcasts:send",
  "GET /v1/broadcasts/:broadcast_id/variants": "broadcasts:view",
  "POST /v1/broadcasts/:broadcast_id/variants": "broadcasts:manage",
  "PATCH /v1/broadcasts/:broadcast_id/variants/:variant_id": "broadcasts:manage",
  "DELETE /v1/broadcasts/:broadcast_id/variants/:variant_id": "broadcasts:manage",
  "POST /v1/templates/": "templates:manage",
  "GET /v1/templates/": "templates:view",
  "GET /v1/templates/:template_id": "templates:view",
  "PATCH /v1/templates/:template_id": "templates:manage",
  "DELETE /v1/templates/:template_id": "templates:manage",
  "POST /v1/templates/:template_id/duplicate": "templates:manage",
  "POST /v1/templates/:template_id/preview": "templates:view",
  "POST /v1/contacts/": "contacts:manage",
  "GET /v1/contacts/": "contacts:view",
  "GET /v1/contacts/:list_id": "contacts:view",
  "PATCH /v1/contacts/:list_id": "contacts:manage",
  "DELETE /v1/contacts/:list_id": "contacts:manage",
  "POST /v1/contacts/:list_id/contacts": "contacts:manage",
  "PUT /v1/contacts/:list_id/contacts": "contacts:manage",
  "GET /v1/contacts/:list_id/contacts/:contact_id": "contacts:view",
  "PATCH /v1/contacts/:list_id/contacts/:contact_id": "contacts:manage",
  "DELETE /v1/contacts/:list_id/contacts/:contact_id": "contacts:manage",
  "GET /v1/audit": "team:manage",
  "POST /v1/contacts/:list_id/upload": "contacts:manage",
  "GET /v1/contacts/:list_id/export": "contacts:view",
  "POST /v1/contacts/:list_id/send": "broadcasts:send",
  "GET /v1/workspaces/": "team:view",
  "GET /v1/workspaces/:workspace_id": "team:view",
  "POST /v1/workspaces/": "team:manage",
  "PATCH /v1/workspaces/:workspace_id": "team:manage",
  "DELETE /v1/workspaces/:workspace_id": "team:manage",
  "POST /v1/workspaces/:workspace_id/invitations": "team:manage",
  "GET /v1/workspaces/:workspace_id/invitations": "team:view",
  "DELETE /v1/workspaces/:workspace_id/invitations/:invitation_id": "team:manage",
  "POST /v1/invitations/:token/accept": "session",
  "GET /invitations/:token": "public",
  "POST /invitations/:token": "public",
  "GET /v1/workspaces/:workspace_id/members": "team:view",
  "PATCH /v1/workspaces/:workspace_id/members/:user_id": "team:manage",
  "DELETE /v1/workspaces/:workspace_id/members/:user_id": "team:view",
};

/**
 * Routes that create or read credentials, invitations or forwarding rules, by patterns of method and path, so that a new one is
 * covered. They refuse OAuth tokens (docs/contract/scopes.md#credentials-and-oauth): a grant that ends must leave nothing
 * behind. Ending a credential is allowed.
 */
const CREDENTIAL_ROUTES = [
  /^(?!DELETE )\w+ \/v1\/(api-keys|forwarding-rules|smtp-credentials|webhooks|auth)\//,
  /^(?!DELETE )\w+ \/v1\/.*\/?(smtp-credentials|invitations|password|secret|totp)(\/|$)/,
];

/** Returns whether a route, by method and mounted path, refuses OAuth tokens whatever their scopes. */
export function isDeniedToOauth(route: string): boolean {
  return CREDENTIAL_ROUTES.some((pattern) => pattern.test(route));
}

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

/**
 * Returns the effective scopes of a credential: those granted (`*` grants all, `manage` implies `view`) that the
 * current role of its user allows.
 */
export function effectiveScopes(granted: readonly string[], role: "owner" | "admin" | "member"): ReadonlySet<Scope> {
  const isGranted = (scope: Scope) =>
    granted.includes("*") ||
    granted.includes(scope) ||
    (scope.endsWith(":view") && granted.includes(scope.replace(":view", ":manage")));
  return new Set(roleScopes[role].filter(isGranted));
}
