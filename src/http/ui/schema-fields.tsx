import type * as z from "zod";
import type { FieldName } from "../form-input.ts";
import { kindsOf, longestString } from "../string-limits.ts";
import {
  Check,
  type CheckProps,
  Field,
  type FieldProps,
  Select,
  type SelectProps,
  TextArea,
  type TextAreaProps,
} from "./form.tsx";

/**
 * Returns the fields of a form that have the names of a schema. A field has the length that the schema states, and is optional where
 * the schema takes null.
 */
export function fieldsOf<Schema extends z.ZodObject>(schema: Schema) {
  type Named<Props> = Omit<Props, "name"> & { name: FieldName<Schema> };
  const fieldOf = (name: string) => (schema.shape as Record<string, z.ZodType>)[name];
  const isRequired = (name: string) => {
    const field = fieldOf(name);
    return !field || !kindsOf(field).has("nullable");
  };
  return {
    Field: (props: Named<Omit<FieldProps, "maxlength">>) => (
      <Field
        required={isRequired(props.name)}
        maxlength={longestString(schema, [props.name]) || undefined}
        {...props}
      />
    ),
    TextArea: (props: Named<TextAreaProps>) => <TextArea required={isRequired(props.name)} {...props} />,
    Select: (props: Named<SelectProps>) => <Select {...props} />,
    Check: (props: Named<CheckProps>) => <Check {...props} />,
  };
}
