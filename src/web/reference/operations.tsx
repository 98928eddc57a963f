import type { RequiredScope } from "../../access/accounts/scopes.ts";
import { withCode } from "./code.tsx";
import { type ApiDocument, errorsOf, type Noun, type Operation, type Source } from "./document.ts";
import { errorExample } from "./examples.ts";
import { FieldList } from "./field-list.tsx";
import { isTryable, OperationExamples } from "./operation-examples.tsx";
import { type Field, toField, toFieldTree } from "./schemas.ts";
import { scopeText } from "./scope-text.ts";

/** The operations on one kind of resource: what each does, its examples, and the rules of its fields, responses and errors. */
export const Operations = ({ noun, document, origin, needOf }: Source & { noun: Noun }) => (
  <>
    {noun.operations.map((operation) => (
      <article id={operation.operationId} class="operation" aria-labelledby={`${operation.operationId}-title`}>
        <Introduction operation={operation} need={needOf(operation)} />
        <OperationExamples document={document} operation={operation} origin={origin} />
        <Rules document={document} operation={operation} />
      </article>
    ))}
  </>
);

function Introduction({ operation, need }: { operation: Operation; need: RequiredScope }) {
  const { operationId: id, method, path, summary, description } = operation;
  return (
    <div>
      <h2 id={`${id}-title`}>{summary}</h2>
      <p class="route">
        <b class={method.toLowerCase()}>{method}</b> {path}
      </p>
      {description === undefined ? null : <p>{withCode(description)}</p>}
      <p>
        {scopeText(need)} Operation: <code>{id}</code>.
      </p>
      {isTryable(operation, need) ? (
        <p>
          <a class="action" href={`/docs/try/${id}`}>
            Try it: {summary}
          </a>
        </p>
      ) : null}
    </div>
  );
}

interface RulesProps {
  document: ApiDocument;
  operation: Operation;
}

function Rules({ document, operation }: RulesProps) {
  const { parameters = [], requestBody } = operation;
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const placed = parameters.map(({ name, schema, required, description = "", in: place }) => ({
    ...toField(document, name, { description, ...schema }, required ?? false),
    place,
  }));
  return (
    <div>
      {(["path", "query", "header"] as const).map((place) => (
        <Fields
          title={{ path: "Path", query: "Query", header: "Headers" }[place]}
          fields={placed.filter((field) => field.place === place)}
        />
      ))}
      <Fields title={`Body (${type})`} fields={body ? toFieldTree(document, body.schema) : []} />
      <Responses document={document} operation={operation} />
      <Errors document={document} operation={operation} />
    </div>
  );
}

const Fields = ({ title, fields }: { title: string; fields: readonly Field[] }) =>
  fields.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <FieldList fields={fields} />
    </>
  );

function Responses({ document, operation }: RulesProps) {
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
          <FieldList fields={toFieldTree(document, schema)} />
        </details>
      )}
    </>
  );
}

const Errors = ({ document, operation }: RulesProps) => (
  <details>
    <summary>Errors</summary>
    <ul class="errors">
      {errorsOf(operation).map(([status, { description, content }]) => {
        const example = errorExample(document, content);
        return (
          <li>
            <b>{status}</b> {withCode(description)}
            {example === undefined ? null : <pre>{JSON.stringify(example)}</pre>}
          </li>
        );
      })}
    </ul>
  </details>
);
