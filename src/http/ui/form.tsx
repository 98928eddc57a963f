import { type Child, createContext, type JSX, type PropsWithChildren, useContext } from "hono/jsx";
import { Icon } from "./icon.tsx";
import { type Refusal, SubmittedContext, submittedTo, useChecked, useError, useValue } from "./submitted.ts";
import { useTexts, useViewer } from "./viewer.tsx";

/** Name of the hidden field that says for which workspace the page of a form was made. */
export const FORM_PAGE = "form_page";

interface PlainFormProps {
  fields?: Readonly<Record<string, string>>;
  /** The page that the form stands on. Default: the one that is rendered. */
  page?: string | undefined;
}

interface FormProps extends PlainFormProps {
  /** True for a form that acts once when it is posted twice: it has an Idempotency-Key (`onceForForm`). */
  once?: boolean;
  /** False when its page has read the fields that were submitted, and gives them their values. Default true. */
  refills?: boolean;
  /** Where a page has several forms with one action and one set of fields: the hidden field that tells this one apart. */
  row?: { name: string; value: string };
}

const RowContext = createContext<string | undefined>(undefined);
const idIn = (row: string | undefined, name: string) => (row === undefined ? name : `${name}-${row}`);
const useFieldId = (name: string) => idIn(useContext(RowContext), name);

type Attributes<Props> = PropsWithChildren<Props & JSX.IntrinsicElements["form"]>;

/**
 * A form, which is posted unless it has another method. When the request has submitted it, its fields have the values that were
 * filled in, and it says why it was refused. Below /app it says for which workspace its page was made.
 */
export function Form({ refills = true, once = false, fields: given = {}, row, ...props }: Attributes<FormProps>) {
  const { children, ...rest } = props;
  const toAction = submittedTo(useViewer(), rest.action as string | undefined, rest.method as "get" | undefined);
  const submitted = row && toAction?.fields?.get(row.name) !== row.value ? undefined : toAction;
  const fields = row ? { [row.name]: row.value, ...given } : given;
  const key = submitted?.fields?.get("idempotency_key") || crypto.randomUUID();
  return (
    <PlainForm {...rest} fields={once ? { idempotency_key: key, ...fields } : fields}>
      <SubmittedContext.Provider value={submitted}>
        <RowContext.Provider value={row?.value}>
          {submitted?.method === "post" ? <ErrorSummary row={row?.value} /> : null}
          {refills ? children : <GivenValues>{children}</GivenValues>}
        </RowContext.Provider>
      </SubmittedContext.Provider>
    </PlainForm>
  );
}

/** Fields that keep the values that they are given, since their page has read what was submitted. */
export function GivenValues({ children }: { children?: Child }) {
  const submitted = useContext(SubmittedContext);
  return (
    <SubmittedContext.Provider value={submitted && { ...submitted, fields: undefined }}>
      {children}
    </SubmittedContext.Provider>
  );
}

/** A form as it is for everybody, whatever was submitted. */
export function PlainForm({ method = "post", page, fields = {}, children, ...rest }: Attributes<PlainFormProps>) {
  const viewer = useViewer();
  const formPage = method === "post" ? (page ?? viewer.formPage) : undefined;
  return (
    <form {...rest} method={method}>
      {/* The first field, since only the start of a large body is read to find it. */}
      {formPage === undefined ? null : <input type="hidden" name={FORM_PAGE} value={formPage} />}
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {children}
    </form>
  );
}

interface LabelledProps {
  name: string;
  label: string;
  hint?: Child;
  /** Default: that of the refused form. */
  error?: string | undefined;
  /** Default true. */
  required?: boolean;
}

interface FieldProps extends LabelledProps {
  type?: "text" | "email" | "password" | "search" | "number" | "date" | "datetime-local" | "file" | "color";
  value?: string;
  autocomplete?: string;
  inputmode?: "numeric";
  maxlength?: number | undefined;
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
export function Field({ maxBytes, ...props }: FieldProps) {
  const { name, label, type = "text", hint, error = useError(props.name), required = true, ...input } = props;
  const isSecret = type === "password" || type === "file" || input.autocomplete === "one-time-code";
  const filled = useValue(name, input.value);
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <input
        id={useFieldId(name)}
        name={name}
        type={type}
        required={required}
        data-max={maxBytes}
        {...describedBy(name, hint, error)}
        {...input}
        value={isSecret ? input.value : filled}
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
export function TextArea({ name, label, hint, required = true, value, rows = 6, ...rest }: TextAreaProps) {
  const error = useError(name);
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <textarea
        id={useFieldId(name)}
        name={name}
        rows={rows}
        required={required}
        class={rest.code ? "code" : undefined}
        autofocus={rest.autofocus}
        {...describedBy(name, hint, error)}
      >
        {/* Browsers leave out a newline at the start. */}
        {`\n${useValue(name, value) ?? ""}`}
      </textarea>
    </Labelled>
  );
}

/** A value that can be chosen. */
export interface Choice {
  value: string;
  label: string;
}

/** Values that can be chosen: with their labels, as their own labels, or with the labels by value. */
type Choices = readonly (Choice | string)[] | Readonly<Record<string, string>>;

const isList = (options: Choices): options is readonly (Choice | string)[] => Array.isArray(options);

const choicesOf = (options: Choices): Choice[] =>
  isList(options)
    ? options.map((one) => (typeof one === "string" ? { value: one, label: one } : one))
    : Object.entries(options).map(([value, label]) => ({ value, label }));

interface SelectProps extends LabelledProps {
  options: Choices;
  /** Label of the empty value, which is offered first. */
  none?: string | undefined;
  value?: string | undefined;
}

/** A choice of one value. */
export function Select({ name, label, hint, required = true, options, none, value }: SelectProps) {
  const error = useError(name);
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <select id={useFieldId(name)} name={name} {...describedBy(name, hint, error)}>
        <Options options={options} none={none} value={useValue(name, value)} />
      </select>
    </Labelled>
  );
}

/** The options of a `select`. */
export const Options = ({ options, none, value }: Pick<SelectProps, "options" | "none" | "value">) => (
  <>
    {[...(none === undefined ? [] : [{ value: "", label: none }]), ...choicesOf(options)].map((option) => (
      <option value={option.value} selected={option.value === value}>
        {option.label}
      </option>
    ))}
  </>
);

/** A box to check. */
export const Check = ({ name, label, checked = false, value = "on" }: CheckProps) => (
  <label class="choice">
    <input type="checkbox" name={name} value={value} checked={useChecked(name, value, checked)} />
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
  options: Choices;
  chosen: readonly string[];
  /** Named as the field of the API call, as the links of `ErrorSummary` are. */
  id: string;
}

/** Boxes of which any number may be checked. */
export const CheckGroup = ({ name, legend, options, chosen, id }: CheckGroupProps) => (
  <fieldset id={id} tabindex={-1}>
    <legend>{legend}</legend>
    {choicesOf(options).map(({ value, label }) => (
      <Check name={name} value={value} label={label} checked={chosen.includes(value)} />
    ))}
    <FieldError name={id} />
  </fieldset>
);

/** The error of a group of fields, below them. */
export function FieldError({ name }: { name: string }) {
  const error = useError(name);
  return error === undefined ? null : <p class="error">{error}</p>;
}

const Labelled = ({ name, label, hint, error, required, children }: LabelledProps & { children?: Child }) => (
  <div class="field">
    <label for={useFieldId(name)}>
      {label}
      {required ? null : <span class="soft"> ({useTexts().optional})</span>}
    </label>
    {hint === undefined ? null : (
      <p class="hint" id={`${useFieldId(name)}-hint`}>
        {hint}
      </p>
    )}
    {children}
    {error === undefined ? null : (
      <p class="error" id={`${useFieldId(name)}-error`}>
        {error}
      </p>
    )}
  </div>
);

function describedBy(name: string, hint: unknown, error: string | undefined) {
  const id = useFieldId(name);
  const isWrong = error !== undefined;
  const ids = [...(hint === undefined ? [] : [`${id}-hint`]), ...(isWrong ? [`${id}-error`] : [])];
  return {
    ...(ids.length > 0 ? { "aria-describedby": ids.join(" ") } : {}),
    ...(isWrong ? { "aria-invalid": "true" as const } : {}),
  };
}

/** A message above a form. Screen readers announce a `bad` one when the page is loaded. */
export const Notice = ({ kind, children }: { kind: "bad" | "good" | "warn"; children?: Child }) => (
  <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>
    <Icon name={kind === "good" ? "check" : "alert"} />
    {children}
  </p>
);

/** The version of what a form began from (src/lib/form-version.ts), so that it replaces no later change unseen. */
export function VersionField({ version }: { version: string }) {
  const filled = useValue("version", version);
  const { refusal } = useContext(SubmittedContext) ?? {};
  return <input type="hidden" name="version" value={refusal?.version ?? filled} />;
}

/** Returns why the request was refused, for the first element of a page that says so. */
function useRefusal(): Refusal | undefined {
  const { submitted } = useViewer();
  if (!submitted || submitted.isSaid) return undefined;
  submitted.isSaid = true;
  return submitted.refusal;
}

/** Says why the request was refused in one sentence. */
export function RefusalNotice() {
  const refusal = useRefusal();
  return refusal ? <Notice kind="bad">{refusal.message}</Notice> : null;
}

/** Says why the request was refused, with a link to each field that is wrong, or to each page of what stops it. `row`: of its form. */
export function ErrorSummary({ row }: { row?: string | undefined }) {
  const refusal = useRefusal();
  if (!refusal) return null;
  const { message, errors, stored } = refusal;
  if (stored) return <StoredMeanwhile message={message} stored={stored} />;
  const fields = [...errors].map(([name, label]) => ({ href: `#${idIn(row, name)}`, label }));
  const links = fields.length > 0 ? fields : (refusal.links ?? []);
  if (links.length === 0) return <Notice kind="bad">{message}</Notice>;
  return (
    <div class="notice bad" role="alert">
      <p>{fields.length > 0 ? useTexts().correct : message}</p>
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
