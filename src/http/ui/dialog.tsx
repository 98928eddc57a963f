import type { Child } from "hono/jsx";
import { Form } from "./form.tsx";
import { Icon, type IconName } from "./icon.tsx";
import { submittedTo } from "./submitted.ts";
import { useViewer } from "./viewer.tsx";

interface DialogProps {
  label: string;
  /** Heading of the dialog. Default: the text of the button. */
  title?: string;
  icon?: IconName;
  /** Name for screen readers, where the same label stands in several rows. */
  name?: string;
  /** `quiet`: it is not the main button of the page. */
  kind?: "quiet" | undefined;
  isOpen?: boolean;
  children?: Child;
}

/** A button that opens what is filled in: a modal dialog, or without scripts a sheet. It belongs to the `actions` of an AppLayout. */
export const Dialog = ({ label, title = label, icon, name, kind, isOpen = false, children }: DialogProps) => (
  <details class="dialog" data-dialog="" open={isOpen}>
    <summary class={kind ? `button ${kind}` : "button"} aria-label={name}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </summary>
    <div class="sheet">
      <h2>{title}</h2>
      {children}
    </div>
  </details>
);

interface FormDialogProps extends Omit<DialogProps, "isOpen"> {
  action: string;
  button: string;
  once?: boolean;
}

/** A dialog with a form. It is open when the form was refused. `children` are its fields. */
export const FormDialog = ({ action, button, once = false, children, ...dialog }: FormDialogProps) => (
  <Dialog {...dialog} isOpen={submittedTo(useViewer(), action)?.refusal !== undefined}>
    <Form action={action} once={once}>
      {children}
      <button type="submit">{button}</button>
    </Form>
  </Dialog>
);
