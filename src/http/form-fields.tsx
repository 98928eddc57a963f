import type * as z from "zod";
import type { FieldName } from "./form-input.ts";
import { kindsOf, statedLength } from "./string-limits.ts";
import { Check, Field, Select, TextArea } from "./ui/index.ts";

/** The properties of a field whose name is one of a schema. */
type Named<Schema extends z.ZodObject, Kind extends (props: never) => unknown> = Omit<Parameters<Kind>[0], "name"> & {
  name: FieldName<Schema>;
};

/** Returns the fields of a form for a schema: with its names and greatest lengths, optional where it takes null. */
export function fieldsOf<Schema extends z.ZodObject>(schema: Schema) {
  const isRequired = (name: string) => !kindsOf(schema, [name]).has("nullable");
  return {
    Field: (props: Named<Schema, typeof Field>) => (
      <Field required={isRequired(props.name)} maxlength={statedLength(schema, [props.name])} {...props} />
    ),
    TextArea: (props: Named<Schema, typeof TextArea>) => <TextArea required={isRequired(props.name)} {...props} />,
    Select: (props: Named<Schema, typeof Select>) => <Select {...props} />,
    Check: (props: Named<Schema, typeof Check>) => <Check {...props} />,
  };
}
