import type { RequiredScope } from "../../access/accounts/scopes.ts";
import { Table } from "../../http/ui/index.ts";
import { withCode } from "./code.tsx";
import type { ApiDocument, Noun, Operation } from "./document.ts";
import { OperationExamples } from "./operation-examples.tsx";
import { type Field, toField, toFields } from "./schemas.ts";
import { scopeText } from "./scope-text.ts";

interface OperationsProps {
  document: ApiDocument;
  noun: Noun;
  /** URL of the service. */
  origin: string;
  needOf: (operation: Operation) => RequiredScope;
}

/** The operations on one kind of resource, each with its examples beside it. */
export const Operations = ({ noun, ...props }: OperationsProps) => (
  <>
    {noun.operations.map((operation) => (
      <article id={operation.operationId} class="operation" aria-labelledby={`${operation.operationId}-title`}>
        <Description {...props} operation={operation} />
        <OperationExamples {...props} operation={operation} />
      </article>
    ))}
  </>
);

type DescriptionProps = Omit<OperationsProps, "noun" | "origin"> & { operation: Operation };

function Description({ document, operation, needOf }: DescriptionProps) {
  const { operationId: id, method, path, summary, description, parameters = [] } = operation;
  const rows = parameters.map(({ name, schema, required, ...rest }) => ({
    ...toField(document, name, { description: rest.description ?? "", ...schema }, required ?? false),
    place: rest.in,
  }));
  const body = operation.requestBody?.content ?? {};
  const bodySchema = Object.values(body)[0]?.schema;
  return (
    <div>
      <h2 id={`${id}-title`}>{summary}</h2>
      <p class="route">
        <b class={method.toLowerCase()}>{method}</b> {path}
      </p>
      {description === undefined ? null : <p>{withCode(description)}</p>}
      <p>
        {scopeText(needOf(operation))} Operation: <code>{id}</code>.
      </p>
      {(["path", "query", "header"] as const).map((place) => (
        <Fields
          title={{ path: "Path", query: "Query", header: "Headers" }[place]}
          label={`${summary}: ${place}`}
          fields={rows.filter((row) => row.place === place)}
        />
      ))}
      <Fields
        title={`Body (${Object.keys(body)[0]})`}
        label={`${summary}: body`}
        fields={bodySchema ? toFields(document, bodySchema) : []}
      />
      <Responses document={document} operation={operation} />
    </div>
  );
}

function Fields({ title, label, fields }: { title: string; label: string; fields: readonly Field[] }) {
  if (fields.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <Table caption={label} columns={["Name", "Type", "Meaning"]}>
        {fields.map(({ name, type, isRequired, limits, description }) => (
          <tr>
            <td>
              {name} {isRequired ? <span class="need">required</span> : null}
            </td>
            <td>
              {type}
              {limits === "" ? null : <div class="hint">{limits}</div>}
            </td>
            <td>{withCode(description)}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Responses({ document, operation }: Omit<DescriptionProps, "needOf">) {
  const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 300);
  const schema = good[0]?.[1].content?.["application/json"]?.schema;
  return (
    <>
      <h3>Response</h3>
      {good.map(([status, { description }]) => (
        <p>
          <b>{status}</b> {withCode(description)}
        </p>
      ))}
      {schema === undefined ? null : (
        <details>
          <summary>Fields of the response</summary>
          <Fields title="Fields" label={`${operation.summary}: response`} fields={toFields(document, schema)} />
        </details>
      )}
    </>
  );
}
