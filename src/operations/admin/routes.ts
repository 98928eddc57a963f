import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { AuditEntryOut, listAllAudit, toAuditEntry } from "../../identity/workspaces/index.ts";
import { addressKey } from "../../lib/addresses.ts";
import { listReceivers } from "../../sending/receivers/index.ts";
import { flushOutboxes } from "./flush-outboxes.ts";
import { listUsers } from "./queries.ts";
import { restrictUser } from "./restrict-user.ts";
import { FlushOut, ReceiverOut, toReceiver, toUser, UserOut } from "./schema.ts";

const ListQuery = z.object({
  ...cursorQuery,
  email: z.string().max(1000).optional().describe("Only the account with this address."),
});

/** The routes of platform administrators on accounts, the audit log and receivers. */
export const adminRoutes = apiRoutes("Platform")
  .get("/v1/admin/users", "listUsers", "platform_admin", {
    summary: "List the accounts of the platform",
    query: ListQuery,
    returns: { 200: ["A page of accounts", z.array(UserOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, {
        read: (caller, { email, ...page }) =>
          listUsers(caller, { ...page, emailKey: email === undefined ? undefined : addressKey(email) }),
        after: ({ id }) => id,
        serialize: toUser,
      }),
  })
  .post("/v1/admin/users/:user_id/restrict", "restrictUser", "platform_admin", outlives.nothing, {
    summary: "Restrict an account: it cannot send",
    description: "Takes effect with the next request. Queued emails of the account become `failed`.",
    once: false,
    returns: { 200: ["The account", UserOut] },
    errors: [409],
    run: async (caller, { user_id }) => toUser(await restrictUser(caller, user_id, true)),
  })
  .post("/v1/admin/users/:user_id/unrestrict", "unrestrictUser", "platform_admin", outlives.nothing, {
    summary: "End the restriction of an account",
    once: false,
    returns: { 200: ["The account", UserOut] },
    run: async (caller, { user_id }) => toUser(await restrictUser(caller, user_id, false)),
  })
  .get("/v1/admin/audit", "listPlatformAuditEntries", "platform_admin", {
    summary: "List the audit log of all workspaces, newest first",
    query: z.object(cursorQuery),
    returns: { 200: ["A page of entries", z.array(AuditEntryOut)] },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listAllAudit, after: ({ id }) => id, serialize: toAuditEntry }),
  })
  .get("/v1/admin/receivers", "listReceivers", "platform_admin", {
    summary: "List the mail systems that get mail today",
    description:
      "As egresses of our own have told them: those that take no mail now, then those with the most mail; 100 at most.",
    returns: { 200: ["The receivers", z.array(ReceiverOut)] },
    run: async (caller) => (await listReceivers(caller)).map(toReceiver),
  })
  .post("/v1/admin/outbox/flush", "flushOutbox", "platform_admin", outlives.nothing, {
    summary: "Release emails that wait after an outage of the egress",
    description: "Releases 500 emails of each mail database now, and the others as these are delivered.",
    once: false,
    returns: { 200: ["The number of retried emails", FlushOut] },
    run: async (caller) => ({ released: await flushOutboxes(caller) }),
  });
