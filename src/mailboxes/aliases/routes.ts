import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { body } from "../../http/validate.ts";
import { getMailbox } from "../mailboxes/index.ts";
import { addAlias } from "./add.ts";
import { deleteAlias } from "./delete.ts";
import { listAliases } from "./queries.ts";
import { limits } from "./rules.ts";
import { AliasIn, AliasOut, toAlias } from "./schema.ts";

const operation = operationsOf("Mailboxes");

export const aliasRoutes = newRoutes()
  .get(
    "/v1/mailboxes/:mailbox_id/aliases",
    operation("mailboxes:view", "listMailboxAliases", {
      summary: "List the aliases of a mailbox in order of address",
      responses: responses(200, `At most ${limits.aliases} aliases`, z.array(AliasOut), [403, 404]),
    }),
    async (c) => {
      const { id } = await getMailbox(c.get("caller"), c.req.param("mailbox_id"));
      return c.json((await listAliases(c.get("caller"), id)).map(toAlias));
    },
  )
  .post(
    "/v1/mailboxes/:mailbox_id/aliases",
    operation("mailboxes:manage", "createMailboxAlias", {
      summary: "Add an alias to a mailbox",
      description: `The mailbox receives mail for the address and may send from it. A mailbox has at most ${limits.aliases} aliases.`,
      responses: responses(201, "The alias", AliasOut, [403, 404, 409, 413, 415]),
    }),
    ...body(AliasIn),
    idempotent(201),
    async (c) => c.json(await addAlias(c.get("caller"), c.req.param("mailbox_id"), c.req.valid("json")), 201),
  )
  .delete(
    "/v1/mailboxes/:mailbox_id/aliases/:alias_id",
    operation("mailboxes:manage", "deleteMailboxAlias", {
      summary: "Delete an alias of a mailbox",
      description: "Mail to it is refused from then on. Mail that it has received stays.",
      responses: responses(204, "Deleted", null, [403, 404]),
    }),
    (c) => noContent(c, deleteAlias(c.get("caller"), c.req.param("mailbox_id"), c.req.param("alias_id"))),
  );
