import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { budgetOf } from "../../platform/budgets/spent.ts";
import { getMailbox } from "../mailboxes/index.ts";
import { addAlias } from "./add.ts";
import { deleteAlias } from "./delete.ts";
import { listAliases } from "./queries.ts";
import { AliasIn, AliasOut, toAlias } from "./schema.ts";

export const aliasRoutes = apiRoutes("Mailboxes")
  .get("/v1/mailboxes/:mailbox_id/aliases", "listMailboxAliases", "mailboxes:view", {
    summary: "List the aliases of a mailbox in order of address",
    returns: { 200: [`At most ${budgetOf("mailbox_aliases").rows} aliases`, z.array(AliasOut)] },
    run: async (caller, { mailbox_id }) => {
      const { id } = await getMailbox(caller, mailbox_id);
      return (await listAliases(caller, id)).map(toAlias);
    },
  })
  .post("/v1/mailboxes/:mailbox_id/aliases", "createMailboxAlias", "mailboxes:manage", outlives.nothing, {
    summary: "Add an alias to a mailbox",
    description: `The mailbox receives mail for the address and may send from it. A mailbox has at most ${budgetOf("mailbox_aliases").rows} aliases.`,
    body: AliasIn,
    returns: { 201: ["The alias", AliasOut] },
    run: (caller, { mailbox_id, body }) => addAlias(caller, mailbox_id, body),
  })
  .delete("/v1/mailboxes/:mailbox_id/aliases/:alias_id", "deleteMailboxAlias", "mailboxes:manage", outlives.nothing, {
    summary: "Delete an alias of a mailbox",
    description: "Mail to it is refused from then on. Mail that it has received stays.",
    returns: { 204: "Deleted" },
    run: (caller, { mailbox_id, alias_id }) => deleteAlias(caller, mailbox_id, alias_id),
  });
