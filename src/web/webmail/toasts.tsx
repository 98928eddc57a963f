import { Form, Icon, Submit, Toast } from "../../http/ui/index.ts";
import { iso } from "../../lib/time.ts";
import type { Done } from "./bulk-actions.ts";
import { scheduledPath } from "./paths.ts";
import type { Sent } from "./sent.ts";

/** Says what was done, with a button that undoes it by the list at `action`, by default the page. `at`: UID of a message shown again. */
export const DoneToast = ({ done, action, at }: { done: Done; action?: string; at?: number }) => (
  <div class="toast" role="status" data-toast="" data-return="">
    <Icon name="check" />
    <span>{done.text}</span>
    {done.undo === null ? null : (
      <Form class="inline" action={action} fields={{ undo: done.undo }}>
        {at === undefined ? null : <input type="hidden" name="at" value={String(at)} />}
        <Submit label="Undo" kind="link" action="undo" hotkey="z" />
      </Form>
    )}
  </div>
);

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
