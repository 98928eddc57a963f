import type { Child } from "hono/jsx";
import { Icon, type IconName } from "./icon.tsx";

interface DialogProps {
  /** Text of the button. */
  label: string;
  /** Heading of the dialog. Default: the text of the button. */
  title?: string;
  icon?: IconName;
  /** `quiet`: it is not the main button of the page. */
  kind?: "quiet";
  /** True when the form was refused: it is open when the page is loaded. */
  isOpen?: boolean;
  /** The form. It posts to a path of its own and is shown again with `isOpen` when it is refused. */
  children?: Child;
}

/**
 * A button that opens a form. With scripts the form is a modal dialog; without them it is a sheet below the button. It belongs to
 * the `actions` of a Layout.
 */
export const Dialog = ({ label, title = label, icon, kind, isOpen = false, children }: DialogProps) => (
  <details class="dialog" data-dialog="" open={isOpen}>
    <summary class={kind ? `button ${kind}` : "button"}>
      {icon ? <Icon name={icon} /> : null}
      {label}
    </summary>
    <div class="sheet">
      <h2>{title}</h2>
      {children}
    </div>
  </details>
);
