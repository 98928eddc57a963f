import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { cursorQuery, respondList } from "../../http/pagination.ts";
import { query } from "../../http/validate.ts";
import { AuditEntryOut, listAllAudit, toAuditEntry } from "../../identity/workspaces/index.ts";
import { addressKey } from "../../lib/addresses.ts";
import { listReceivers } from "../../sending/receivers/index.ts";
import { flushOutboxes } from "./flush-outboxes.ts";
import { listUsers } from "./queries.ts";
import { restrictUser } from "./restrict-user.ts";
import { FlushOut, ReceiverOut, toReceiver, toUser, UserOut } from "./schema.ts";

const declare = operationsOf("Platform");

/** Declares an operation of platform administrators, which takes a session only (docs/contract/workspaces.md#platform-administrators). */
export const operation = (operationId: string, entry: Parameters<typeof declare>[2]) =>
  declare("platform_admin", operationId, { security: [{ session: [] }], ...entry });

const ListQuery = z.object({
  ...cursorQuery,
  email: z.string().max(1000).optional().describe("Only the account with this address."),
});

/** The routes of platform administrators on accounts, the audit log and receivers. */
export const adminRoutes = newRoutes()
  .get(
    "/v1/admin/users",
    operation("listUsers", {
      summary: "List the accounts of the platform",
      responses: responses(200, "A page of accounts", z.array(UserOut), [403]),
    }),
    query(ListQuery),
    (c) =>
      respondList(c, {
        read: (caller, { email, ...page }) =>
          listUsers(caller, { ...page, emailKey: email === undefined ? undefined : addressKey(email) }),
        after: ({ id }) => id,
        serialize: toUser,
      }),
  )
  .post(
    "/v1/admin/users/:user_id/restrict",
    operation("restrictUser", {
      summary: "Restrict an account: it cannot send",
      description: "Takes effect with the next request. Queued emails of the account become `failed`.",
      responses: responses(200, "The account", UserOut, [403, 404, 409]),
    }),
    async (c) => c.json(toUser(await restrictUser(c.get("caller"), c.req.param("user_id"), true))),
  )
  .post(
    "/v1/admin/users/:user_id/unrestrict",
    operation("unrestrictUser", {
      summary: "End the restriction of an account",
      responses: responses(200, "The account", UserOut, [403, 404]),
    }),
    async (c) => c.json(toUser(await restrictUser(c.get("caller"), c.req.param("user_id"), false))),
  )
  .get(
    "/v1/admin/audit",
    operation("listPlatformAuditEntries", {
      summary: "List the audit log of all workspaces, newest first",
      responses: responses(200, "A page of entries", z.array(AuditEntryOut), [403]),
    }),
    query(z.object(cursorQuery)),
    (c) => respondList(c, { read: listAllAudit, after: ({ id }) => id, serialize: toAuditEntry }),
  )
  .get(
    "/v1/admin/receivers",
    operation("listReceivers", {
      summary: "List the mail systems that get mail today",
      description:
        "As egresses of our own have told them: those that take no mail now, then those with the most mail; 100 at most.",
      responses: responses(200, "The receivers", z.array(ReceiverOut), [403]),
    }),
    async (c) => c.json((await listReceivers(c.get("caller"))).map(toReceiver)),
  )
  .post(
    "/v1/admin/outbox/flush",
    operation("flushOutbox", {
      summary: "Release emails that wait after an outage of the egress",
      description: "Releases 500 emails of each mail database now, and the others as these are delivered.",
      responses: responses(200, "The number of retried emails", FlushOut, [403]),
    }),
    async (c) => c.json({ released: await flushOutboxes(c.get("caller")) }),
  );
