import { Empty, Field, Form } from "../../http/ui/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page of the senders whose mail goes to Spam. */
export const BlockedSendersPage = ({ page, emails }: { page: OpenPage; emails: readonly string[] }) => (
  <SettingsLayout page={page} at="blocked-senders">
    <p class="hint">Mail from these addresses goes to Spam. The senders do not notice.</p>
    <Form class="filter">
      <Field name="email" label="Address to block" type="email" maxlength={254} placeholder="ada@example.org" />
      <button type="submit" name="action" value="block">
        Block
      </button>
    </Form>
    {emails.length === 0 ? (
      <Empty>No address is blocked.</Empty>
    ) : (
      <ul class="addresses">
        {emails.map((email) => (
          <li>
            {email}
            <Form class="inline" fields={{ email }}>
              <button type="submit" class="link" name="action" value="unblock" aria-label={`Unblock ${email}`}>
                Unblock
              </button>
            </Form>
          </li>
        ))}
      </ul>
    )}
  </SettingsLayout>
);
