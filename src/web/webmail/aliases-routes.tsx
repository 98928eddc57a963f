import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../http/env.ts";
import { readForm } from "../../http/fields.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../http/page-form.ts";
import { badRequest } from "../../lib/errors.ts";
import { AliasIn, type AliasRow, addAlias, deleteAlias, findAliasesStatement } from "../../mailboxes/aliases/index.ts";
import { mayManage } from "../../mailboxes/mailboxes/index.ts";
import { AliasesPage } from "./aliases-page.tsx";
import { openPage, openPageWith } from "./open-page.ts";
import { settingsPath } from "./paths.ts";

const notices: Readonly<Record<string, string>> = {
  added: "The alias is added.",
  deleted: "The alias is deleted.",
};

/** The page of the aliases of a mailbox. */
export const aliasPages = new Hono<AppEnv>()
  .get("/mail/aliases/:mailbox_id", ...webmailFor("GET /v1/inbox/:mailbox_id/filters"), (c) => showAliases(c))
  .post("/mail/aliases/:mailbox_id", ...webmailFor("POST /v1/mailboxes/:mailbox_id/aliases"), async (c) => {
    const { caller, mailbox } = await openPage(c.get("caller"), c.req.param("mailbox_id"));
    const fields = await readForm(c);
    const address = fields.get("address") ?? "";
    const change = async () => {
      const action = fields.get("action");
      if (action === "delete") await deleteAlias(caller, mailbox.id, fields.get("alias_id") ?? "");
      else if (action === "add") await addAlias(caller, mailbox.id, parseFields(AliasIn, { address }));
      else throw badRequest("The form has no known action");
      return settingsPath(mailbox.id, "aliases", { done: action === "add" ? "added" : "deleted" });
    };
    return submitForm(c, change, (refusal) => showAliases(c, { refusal, address }));
  });

async function showAliases(c: Context<AppEnv>, { refusal, address }: { refusal?: Refusal; address?: string } = {}) {
  const caller = c.get("caller");
  const { page, rows: aliases } = await openPageWith<AliasRow>(caller, c.req.param("mailbox_id") ?? "", (id) => [
    findAliasesStatement(caller, id),
  ]);
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const shown = (
    <AliasesPage {...{ page, aliases, notice, refusal }} mayChange={mayManage(page.caller.actor)} filled={address} />
  );
  return respondPage(c, shown, { status: refusal?.status ?? 200 });
}
