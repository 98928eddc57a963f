import { Form, Icon, Submit } from "../../http/ui/index.ts";
import type { Done } from "./bulk-actions.ts";

interface DoneToastProps {
  done: Done;
  /** Path of the list that undoes it. Default: the page itself. */
  action?: string;
  /** UID of the message whose page is shown again. Default: the list is. */
  at?: number;
}

/** Says what was done, with a button that undoes it. */
export const DoneToast = ({ done, action, at }: DoneToastProps) => (
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
