import { Field, Form } from "../../http/ui/index.ts";
import type { OpenPage } from "./layout.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page that changes the password of a mailbox. Only a session that began with the password is asked for it. */
export const PasswordPage = ({ page }: { page: OpenPage }) => {
  const isOwn = page.caller.actor.kind === "mailbox";
  return (
    <SettingsLayout page={page} at="password">
      <p class="hint">
        {isOwn
          ? "All other devices are signed out of this mailbox. This one stays signed in, and app passwords stay valid."
          : "Everyone who is signed in to this mailbox by its password is signed out, and its app passwords are deleted."}
      </p>
      <Form class="form">
        <input type="hidden" name="username" value={page.mailbox.address} autocomplete="username" />
        {isOwn ? (
          <Field
            name="current"
            label="Current password"
            type="password"
            maxlength={256}
            autocomplete="current-password"
          />
        ) : null}
        <Field
          name="password"
          label="New password"
          type="password"
          maxlength={256}
          autocomplete="new-password"
          hint="At least 12 characters"
        />
        <button type="submit">Change password</button>
      </Form>
    </SettingsLayout>
  );
};
