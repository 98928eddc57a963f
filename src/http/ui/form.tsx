import type { Child, JSX, PropsWithChildren } from "hono/jsx";
import { Icon, type IconName } from "./icon.tsx";
import { useViewer } from "./viewer.tsx";

/** Name of the hidden field that says for which workspace the page of a form was made. */
export const FORM_PAGE = "form_page";

interface FormProps {
  /** Idempotency-Key, with which a form that is posted twice acts once. */
  once?: string;
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
  /** Why it was refused, which is shown above its fields. */
  refusal?: SummaryProps["refusal"];
  /** The page that the form stands on. Default: the one that is rendered. */
  page?: string | undefined;
}

/** A form, which is posted unless it has another method. Below /app it says for which workspace its page was made. */
export function Form({ method = "post", once, page, fields = {}, refusal, children, ...rest }: FormAttributes) {
  const viewer = useViewer();
  const formPage = method === "post" ? (page ?? viewer.formPage) : undefined;
  return (
    <form {...rest} method={method}>
      {/* The first field, since only the start of a large body is read to find it. */}
      {formPage === undefined ? null : <input type="hidden" name={FORM_PAGE} value={formPage} />}
      {Object.entries(once === undefined ? fields : { idempotency_key: once, ...fields }).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <ErrorSummary refusal={refusal} />
      {children}
    </form>
  );
}

type FormAttributes = PropsWithChildren<FormProps & JSX.IntrinsicElements["form"]>;

/** Messages about the fields of a form, by field name. */
export type FieldErrors = ReadonlyMap<string, string>;

interface LabelledProps {
  name: string;
  label: string;
  hint?: Child;
  errors?: FieldErrors | undefined;
  /** Default true. */
  required?: boolean;
}

interface FieldProps extends LabelledProps {
  type?: "text" | "email" | "password" | "search" | "number" | "datetime-local" | "file";
  value?: string;
  autocomplete?: string;
  inputmode?: "numeric";
  maxlength?: number;
  placeholder?: string;
  accept?: string;
  /** Id of the `datalist` with values to choose from. */
  list?: string;
  /** Of a field for files: whether several can be chosen, and how many bytes they may have together. */
  multiple?: boolean;
  maxBytes?: number;
  autofocus?: boolean;
}

/** A text field with its label and an optional hint. Screen readers read hint and error with the field. */
export function Field({ name, label, type = "text", hint, errors, required = true, maxBytes, ...input }: FieldProps) {
  return (
    <Labelled {...{ name, label, hint, errors, required }}>
      <input
        {...{ id: name, name, type, required, "data-max": maxBytes }}
        {...describedBy(name, hint, errors)}
        {...input}
      />
    </Labelled>
  );
}

interface TextAreaProps extends LabelledProps {
  value?: string | undefined;
  rows?: number;
  code?: boolean;
  autofocus?: boolean;
}

/** A field of several lines. */
export function TextArea({ name, label, hint, errors, required = true, value, rows = 6, ...rest }: TextAreaProps) {
  return (
    <Labelled {...{ name, label, hint, errors, required }}>
      <textarea
        id={name}
        name={name}
        rows={rows}
        required={required}
        class={rest.code ? "code" : undefined}
        autofocus={rest.autofocus}
        {...describedBy(name, hint, errors)}
      >
        {/* Browsers leave out a newline at the start. */}
        {`\n${value ?? ""}`}
      </textarea>
    </Labelled>
  );
}

interface SelectProps extends LabelledProps {
  options: readonly { value: string; label: string }[];
  value?: string | undefined;
}

/** A choice of one value. */
export function Select({ name, label, hint, errors, required = true, options, value }: SelectProps) {
  return (
    <Labelled {...{ name, label, hint, errors, required }}>
      <select id={name} name={name} {...describedBy(name, hint, errors)}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

/** A box to check. */
export const Check = ({ name, label, checked, value = "on" }: CheckProps) => (
  <label class="choice">
    <input type="checkbox" name={name} value={value} checked={checked ?? false} />
    <span>{label}</span>
  </label>
);

interface CheckProps {
  name: string;
  label: string;
  checked?: boolean;
  value?: string;
}

interface CheckGroupProps {
  name: string;
  legend: string;
  options: readonly { value: string; label: string }[];
  chosen: readonly string[];
  /** Named as the field of the API call, as the links of `ErrorSummary` are. */
  id: string;
  errors?: FieldErrors | undefined;
}

/** Boxes of which any number may be checked. */
export const CheckGroup = ({ name, legend, options, chosen, id, errors }: CheckGroupProps) => (
  <fieldset id={id} tabindex={-1}>
    <legend>{legend}</legend>
    {options.map(({ value, label }) => (
      <Check name={name} value={value} label={label} checked={chosen.includes(value)} />
    ))}
    {errors?.has(id) ? <p class="error">{errors.get(id)}</p> : null}
  </fieldset>
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
  /** Hidden fields. */
  fields?: Readonly<Record<string, string>>;
}

/** A button that posts a form without fields to fill in. */
export const PostButton = ({ to, label, kind, icon, name, fields = {} }: PostButtonProps) => (
  <Form class={kind === "link" ? "inline" : undefined} action={to} fields={fields}>
    <button class={kind} type="submit" aria-label={name} title={kind === "bare" ? label : undefined}>
      {icon ? <Icon name={icon} /> : null}
      {kind === "bare" ? null : label}
    </button>
  </Form>
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

function Labelled({ name, label, hint, errors, required, children }: LabelledProps & { children?: Child }) {
  const error = errors?.get(name);
  return (
    <div class="field">
      <label for={name}>
        {label}
        {required ? null : <span class="soft"> (optional)</span>}
      </label>
      {hint === undefined ? null : (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error === undefined ? null : (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

function describedBy(name: string, hint: unknown, errors: FieldErrors | undefined) {
  const isWrong = errors?.has(name) ?? false;
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(isWrong ? [`${name}-error`] : [])];
  return {
    ...(ids.length > 0 ? { "aria-describedby": ids.join(" ") } : {}),
    ...(isWrong ? { "aria-invalid": "true" as const } : {}),
  };
}

/** A message above a form. Screen readers announce a `bad` one when the page is loaded. */
export function Notice({ kind, children }: { kind: "bad" | "good" | "warn"; children?: Child }) {
  return (
    <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>
      <Icon name={kind === "good" ? "check" : "alert"} />
      {children}
    </p>
  );
}

interface SummaryProps {
  refusal?:
    | {
        message: string;
        errors: FieldErrors;
        /** Pages of what stops the request. */
        links?: readonly { href: string; label: string }[];
        /** Values that were stored meanwhile, by label. */
        stored?: Readonly<Record<string, string>>;
      }
    | undefined;
}

/** The version of what a form began from (src/lib/form-version.ts), so that it replaces no later change unseen. */
export const VersionField = ({ version, refusal }: { version: string; refusal: { version?: string } | undefined }) => (
  <input type="hidden" name="version" value={refusal?.version ?? version} />
);

/** Why a form was refused, with a link to each field that is wrong, or to each page of what stops it. */
export function ErrorSummary({ refusal }: SummaryProps) {
  if (!refusal) return null;
  const { message, errors, stored } = refusal;
  if (stored) return <StoredMeanwhile message={message} stored={stored} />;
  const fields = [...errors].map(([name, label]) => ({ href: `#${name}`, label }));
  const links = fields.length > 0 ? fields : (refusal.links ?? []);
  if (links.length === 0) return <Notice kind="bad">{message}</Notice>;
  return (
    <div class="notice bad" role="alert">
      <p>{fields.length > 0 ? "Please correct:" : message}</p>
      <ul>
        {links.map(({ href, label }) => (
          <li>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </div>
  );
}

const StoredMeanwhile = ({ message, stored }: { message: string; stored: Readonly<Record<string, string>> }) => (
  <div class="notice bad" role="alert">
    <p>{message}</p>
    {Object.entries(stored).map(([label, value]) => (
      <details open>
        <summary>{label}, as it is stored now</summary>
        <pre>{value === "" ? "(empty)" : value}</pre>
      </details>
    ))}
  </div>
);
