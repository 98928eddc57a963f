import { withCode } from "./code.tsx";
import type { Field } from "./schemas.ts";

/** The fields of a body or parameters, each over the whole width: name, type, limits and meaning. Those of an object in it are folded. */
export const FieldList = ({ label, fields }: { label: string; fields: readonly Field[] }) => (
  <ul class="fields" aria-label={label}>
    {fields.map(({ name, type, isRequired, limits, description, fields: inner }) => (
      <li>
        <Name path={name} /> <span class="type">{type}</span> {isRequired ? <b class="need">required</b> : null}
        {limits === "" ? null : <span class="hint">{limits}</span>}
        {description === "" ? null : <p>{withCode(description)}</p>}
        {inner.length === 0 ? null : (
          <details>
            <summary>Fields of {name}</summary>
            <FieldList label={`${label}: ${name}`} fields={inner} />
          </details>
        )}
      </li>
    ))}
  </ul>
);

/** The path of a field, whose last name stands out. */
function Name({ path }: { path: string }) {
  const start = path.lastIndexOf(".") + 1;
  return (
    <code>
      {start === 0 ? null : <span class="soft">{path.slice(0, start)}</span>}
      {path.slice(start)}
    </code>
  );
}
