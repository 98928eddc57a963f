import type { JSX } from "hono/jsx";
import { PlainForm } from "./form.tsx";
import { Icon, type IconName } from "./icon.tsx";

interface FaceProps {
  label: string;
  /** Class of the button. `bare`: only the icon is shown, and the label as its title. */
  kind?: string | undefined;
  icon?: IconName | undefined;
  /** Name for screen readers, where the same label stands in several rows. */
  name?: string | undefined;
  /** The key that presses it in webmail. */
  hotkey?: string | undefined;
}

const Face = ({ label, kind, icon }: FaceProps) => (
  <>
    {icon ? <Icon name={icon} /> : null}
    {kind === "bare" ? null : label}
  </>
);

/** Returns the attributes that name a button for screen readers, for the pointer and for the script. */
const namesOf = ({ label, kind, name, hotkey }: FaceProps) => ({
  "aria-label": name ?? (kind === "bare" ? label : undefined),
  title: kind !== "bare" ? undefined : hotkey === undefined ? label : `${label} (${hotkey})`,
  "data-key": hotkey,
});

interface SubmitProps
  extends FaceProps,
    Pick<JSX.IntrinsicElements["button"], "autofocus" | "disabled" | "form" | "hidden"> {
  /** Tells a form with several buttons which one was used. */
  action?: string;
  /** The question that a dialog asks first, and the label of its button. */
  ask?: string | undefined;
  confirmed?: string;
  /** True when the fields may be empty or wrong. */
  isUnchecked?: boolean;
}

/** The button that submits the form it stands in. */
export function Submit({ label, kind, icon, name, hotkey, action, ask, confirmed, isUnchecked, ...rest }: SubmitProps) {
  return (
    <button
      class={kind}
      type="submit"
      name={action === undefined ? undefined : "action"}
      value={action}
      formnovalidate={isUnchecked}
      {...namesOf({ label, kind, name, hotkey })}
      data-confirm={ask}
      data-confirmed={confirmed}
      {...rest}
    >
      <Face label={label} kind={kind} icon={icon} />
    </button>
  );
}

interface PostButtonProps extends FaceProps {
  to: string;
  once?: boolean;
  fields?: Readonly<Record<string, string>>;
}

/** A button that posts a form without fields to fill in. */
export const PostButton = ({ to, once = false, fields = {}, ...face }: PostButtonProps) => (
  <PlainForm
    class={face.kind === "link" ? "inline" : undefined}
    action={to}
    fields={once ? { idempotency_key: crypto.randomUUID(), ...fields } : fields}
  >
    <Submit {...face} />
  </PlainForm>
);

/** A button that looks like a link, such as one at the end of a row. */
export const PostLink = (props: Omit<PostButtonProps, "kind">) => <PostButton kind="link" {...props} />;

/** A link that looks like a button. */
export const ButtonLink = ({ to, ...face }: FaceProps & { to: string }) => (
  <a class={face.kind ? `button ${face.kind}` : "button"} href={to} {...namesOf(face)}>
    <Face {...face} />
  </a>
);

/** Such a link on a line of its own. */
export const ButtonLine = (props: Parameters<typeof ButtonLink>[0]) => (
  <p>
    <ButtonLink {...props} />
  </p>
);

/** A link on a line of its own. */
export const LinkLine = ({ to, label }: { to: string; label: string }) => (
  <p>
    <a href={to}>{label}</a>
  </p>
);

/** A button at the end of a row, which leads to the question whether something of it is to end. */
export const ActionLink = (props: { to: string; label: string; name: string }) => (
  <ButtonLink kind="danger" {...props} />
);
