import { Field, Form } from "./form.tsx";
import { Icon } from "./icon.tsx";

interface SearchFieldProps {
  /** Read by screen readers. */
  label: string;
  value: string;
  maxlength: number;
  placeholder?: string;
  /** True for the search of all pages: `/` and Ctrl+K find it. */
  isGlobal?: boolean;
  hotkey?: string;
}

/** The field `q` of a search, with its icon. */
export const SearchField = ({ label, value, maxlength, placeholder, isGlobal = false, hotkey }: SearchFieldProps) => (
  <label class="find">
    <Icon name="search" />
    <input
      type="search"
      name="q"
      value={value}
      maxlength={maxlength}
      aria-label={label}
      placeholder={placeholder}
      autocomplete={isGlobal ? "off" : undefined}
      data-find={isGlobal ? "" : undefined}
      data-key={hotkey}
    />
    {isGlobal ? <kbd>/</kbd> : null}
  </label>
);

interface FindFormProps {
  action: string;
  name: string;
  label: string;
  value: string;
  maxlength?: number;
  hint?: string;
  button?: string;
}

/** The form that searches a list. */
export const FindForm = ({ action, button = "Find", ...field }: FindFormProps) => (
  <Form class="filter" method="get" action={action}>
    <Field {...field} type="search" required={false} />
    <button type="submit">{button}</button>
  </Form>
);
