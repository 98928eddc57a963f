import { withCode } from "./code.tsx";
import type { Field } from "./schemas.ts";

/** The fields of a body or parameters, each over the whole width: name, type, limits and meaning. Those of an object in it are folded. */
export const FieldList = ({ fields }: { fields: readonly Field[] }) => (
  <ul class="fields">
    {fields.map(({ name, type, isRequired, limits, description, fields: inner }) => (
      <li>
        <code>{name}</code> <span>{type}</span> {isRequired ? <b>required</b> : null}
        {limits === "" ? null : <span>{limits}</span>}
        {description === "" ? null : <p>{withCode(description)}</p>}
        {inner.length === 0 ? null : (
          <details>
            <summary>Fields of {name}</summary>
            <FieldList fields={inner} />
          </details>
        )}
      </li>
    ))}
  </ul>
);
