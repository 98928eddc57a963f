import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { submitForm } from "../../http/page-routes.ts";
import { badRequest } from "../../lib/errors.ts";
import { AliasIn, type AliasRow, addAlias, deleteAlias, findAliasesStatement } from "../../mailboxes/aliases/index.ts";
import { mayManage } from "../../mailboxes/mailboxes/index.ts";
import { AliasesPage } from "./aliases-page.tsx";
import { openPage, openPageWith } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";

const notices: Readonly<Record<string, string>> = { added: "The alias is added.", deleted: "The alias is deleted." };

/** The page of the aliases of a mailbox. */
export const aliasPages = newRoutes()
  .get("/mail/aliases/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/filters"), showAliases)
  .post("/mail/aliases/:mailbox_id", ...webmailFor("POST /v1/mailboxes/:mailbox_id/aliases"), (c) =>
    submitForm(c, showAliases, async (fields) => {
      const { caller, mailbox } = await openPage(c);
      const action = fields.get("action");
      if (action === "delete") await deleteAlias(caller, mailbox.id, fields.get("alias_id") ?? "");
      else if (action === "add") await addAlias(caller, mailbox.id, inputOf(AliasIn)(fields));
      else throw badRequest("The form has no known action");
      return settingsPath(mailbox.id, "aliases", { done: action === "add" ? "added" : "deleted" });
    }),
  );

async function showAliases(c: AppContext) {
  const { page, rows: aliases } = await openPageWith<AliasRow>(c, findAliasesStatement);
  const shown = <AliasesPage page={page} aliases={aliases} mayChange={mayManage(page.caller.actor)} />;
  return respondPage(c, shown, { notices });
}
