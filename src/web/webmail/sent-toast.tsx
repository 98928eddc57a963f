import { Form, Icon, Toast } from "../../http/ui/index.ts";
import { iso } from "../../lib/time.ts";
import { scheduledPath } from "./paths.ts";
import type { Sent } from "./sent.ts";

/** Says that a message was sent. While it can be stopped, a button does that and opens its draft. */
export function SentToast({ mailboxId, sent: { undo, path } }: { mailboxId: string; sent: Sent }) {
  if (undo === null) return <Toast>The message is sent.</Toast>;
  const until = iso(undo.until);
  return (
    <div class="toast" role="status" data-toast={until}>
      <Icon name="send" />
      <span>Sending…</span>
      <span class="small" aria-hidden="true" data-countdown={until} />
      <Form class="inline" action={scheduledPath(mailboxId)} fields={{ draft: undo.draft, back: path }}>
        <button type="submit" class="link" name="email_id" value={undo.email} data-key="z">
          Undo
        </button>
      </Form>
    </div>
  );
}
