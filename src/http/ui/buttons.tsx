import { PlainForm } from "./form.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface SubmitProps {
  label: string;
  /** Class of the button. */
  kind?: string | undefined;
  /** Tells a form with several buttons which one was used. */
  action?: string;
  /** Name for screen readers, where the same label stands in several rows. */
  name?: string;
  /** The question that a dialog asks first, and the label of its button. */
  ask?: string;
  confirmed?: string;
  /** True when the fields may be empty or wrong. */
  isUnchecked?: boolean;
}

/** The button that submits the form it stands in. */
export const Submit = ({ label, kind, action, name, ask, confirmed, isUnchecked }: SubmitProps) => (
  <button
    class={kind}
    type="submit"
    name={action === undefined ? undefined : "action"}
    value={action}
    formnovalidate={isUnchecked}
    aria-label={name}
    data-confirm={ask}
    data-confirmed={confirmed}
  >
    {label}
  </button>
);

interface PostButtonProps {
  /** Path that the form posts to. */
  to: string;
  label: string;
  /** `bare`: only the icon is shown, and the label as its title. */
  kind?: "quiet" | "danger" | "link" | "bare";
  icon?: IconName;
  /** Name for screen readers, where the same label stands in several rows. */
  name?: string;
  /** As that of `Form`. */
  once?: boolean;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
}

/** A button that posts a form without fields to fill in. */
export const PostButton = ({ to, label, kind, icon, name, once = false, fields = {} }: PostButtonProps) => (
  <PlainForm
    class={kind === "link" ? "inline" : undefined}
    action={to}
    fields={once ? { idempotency_key: crypto.randomUUID(), ...fields } : fields}
  >
    <button class={kind} type="submit" aria-label={name} title={kind === "bare" ? label : undefined}>
      {icon ? <Icon name={icon} /> : null}
      {kind === "bare" ? null : label}
    </button>
  </PlainForm>
);

interface ButtonLinkProps {
  to: string;
  label: string;
  kind?: "quiet" | "danger" | "bare";
  icon?: IconName;
  name?: string;
}

/** A link that looks like a button. Its properties are those of `PostButton`. */
export const ButtonLink = ({ to, label, kind, icon, name }: ButtonLinkProps) => (
  <a class={kind ? `button ${kind}` : "button"} href={to} aria-label={name} title={kind === "bare" ? label : undefined}>
    {icon ? <Icon name={icon} /> : null}
    {kind === "bare" ? null : label}
  </a>
);

interface ActionLinkProps {
  to: string;
  label: string;
  /** Name for screen readers, where the same label stands in several rows. */
  name: string;
}

/** A button at the end of a row, which leads to the question whether something of it is to end. */
export const ActionLink = ({ to, label, name }: ActionLinkProps) => (
  <a class="button danger" href={to} aria-label={name}>
    {label}
  </a>
);
