import { type AppContext, newRoutes } from "../../http/env.ts";
import { inputOf } from "../../http/form-input.ts";
import { webmailFor } from "../../http/mailbox-page-session.ts";
import { respondPage } from "../../http/page.tsx";
import { submitForm } from "../../http/page-routes.ts";
import { Empty, Field, Form, Submit } from "../../http/ui/index.ts";
import { badRequest } from "../../lib/errors.ts";
import { AliasIn, type AliasRow, addAlias, deleteAlias, findAliasesStatement } from "../../mailboxes/aliases/index.ts";
import { mayManage } from "../../mailboxes/mailboxes/index.ts";
import type { OpenPage } from "./layout.tsx";
import { openPage, openPageWith } from "./open-page.tsx";
import { settingsPath } from "./paths.ts";
import { SettingsLayout } from "./settings-layout.tsx";

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

interface AliasesPageProps {
  page: OpenPage;
  aliases: readonly AliasRow[];
  mayChange: boolean;
}

const AliasesPage = ({ page, aliases, mayChange }: AliasesPageProps) => (
  <SettingsLayout page={page} at="aliases">
    <p class="hint">
      Mail to these addresses arrives here too, and you can send from them. You sign in with {page.mailbox.address}{" "}
      only.
    </p>
    {mayChange ? (
      <Form class="filter">
        <Field
          name="address"
          label="Address to add"
          type="email"
          maxlength={254}
          placeholder={`sales@${page.mailbox.address.split("@")[1]}`}
        />
        <Submit label="Add" action="add" />
      </Form>
    ) : (
      <p class="hint">Owners and admins of the workspace add and delete aliases.</p>
    )}
    {aliases.length === 0 ? (
      <Empty>This mailbox has no aliases.</Empty>
    ) : (
      <ul class="addresses">
        {aliases.map(({ id, address }) => (
          <li>
            {address}
            {mayChange ? (
              <Form class="inline" fields={{ alias_id: id }}>
                <Submit
                  label="Delete"
                  kind="danger"
                  action="delete"
                  name={`Delete ${address}`}
                  ask={`Delete ${address}? Mail to it is refused then.`}
                />
              </Form>
            ) : null}
          </li>
        ))}
      </ul>
    )}
  </SettingsLayout>
);
