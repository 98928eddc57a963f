import { Form } from "../../http/ui/index.ts";
import type { Signature } from "../../mailboxes/mailbox-store/index.ts";
import type { OpenPage } from "./layout.tsx";
import { RichText } from "./rich-text.tsx";
import { SettingsLayout } from "./settings-layout.tsx";

/** The page that sets the text below new messages. */
export const SignaturePage = ({ page, signature }: { page: OpenPage; signature: Signature | null }) => (
  <SettingsLayout page={page} at="signature">
    <p class="hint">
      It is below each new message, and in a reply above the text that you quote. Leave it empty to have none.
    </p>
    <Form>
      <RichText
        label="Signature"
        text={signature?.text ?? ""}
        html={signature?.html ?? ""}
        rows={6}
        format={signature === null ? "" : signature.html ? "rich" : "plain"}
        required={false}
      />
      <button type="submit">Save signature</button>
    </Form>
  </SettingsLayout>
);
