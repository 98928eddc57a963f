import type { Child } from "hono/jsx";

interface FieldProps {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  hint?: string;
  autocomplete?: string;
  inputmode?: "numeric";
  maxlength?: number;
}

/** A required text field with its label and an optional hint, which screen readers read with the field. */
export function Field({ name, label, type = "text", hint, ...input }: FieldProps) {
  const hintId = `${name}-hint`;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      {hint === undefined ? null : (
        <p class="hint" id={hintId}>
          {hint}
        </p>
      )}
      <input id={name} name={name} type={type} required aria-describedby={hint && hintId} {...input} />
    </div>
  );
}

/** A message above a form. Screen readers announce a `bad` one when the page is loaded. */
export function Notice({ kind, children }: { kind: "bad" | "good" | "warn"; children?: Child }) {
  return (
    <p class={`notice ${kind}`} role={kind === "bad" ? "alert" : undefined}>
      {children}
    </p>
  );
}
