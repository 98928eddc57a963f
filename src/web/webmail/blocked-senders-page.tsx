import { Empty, Field, Form, Submit } from "../../http/ui/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page of the senders whose mail goes to Spam. */
export const BlockedSendersPage = ({ page, emails }: { page: OpenPage; emails: readonly string[] }) => (
  <SettingsLayout page={page} at="blocked-senders">
    <p class="hint">Mail from these addresses goes to Spam. The senders do not notice.</p>
    <Form class="filter">
      <Field name="email" label="Address to block" type="email" maxlength={254} placeholder="ada@example.org" />
      <Submit label="Block" action="block" />
    </Form>
    {emails.length === 0 ? (
      <Empty>No address is blocked.</Empty>
    ) : (
      <ul class="addresses">
        {emails.map((email) => (
          <li>
            {email}
            <Form class="inline" fields={{ email }}>
              <Submit label="Unblock" kind="link" action="unblock" name={`Unblock ${email}`} />
            </Form>
          </li>
        ))}
      </ul>
    )}
  </SettingsLayout>
);
