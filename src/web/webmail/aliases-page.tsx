import { Empty, Field, Form, Submit } from "../../http/ui/index.ts";
import type { AliasRow } from "../../mailboxes/aliases/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

interface AliasesPageProps {
  page: OpenPage;
  aliases: readonly AliasRow[];
  mayChange: boolean;
}

/** The page of the further addresses of a mailbox. */
export const AliasesPage = ({ page, aliases, mayChange }: AliasesPageProps) => (
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
