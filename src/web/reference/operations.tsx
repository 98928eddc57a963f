import { isServiceScope, type RequiredScope, scopes } from "../../access/accounts/index.ts";
import { Table } from "../../http/ui/index.ts";
import type { ApiDocument, Noun, Operation } from "./document.ts";
import { toExample } from "./examples.ts";
import { type Field, toField, toFields } from "./schemas.ts";
import { snippetsOf } from "./snippets.ts";

interface OperationsProps {
  document: ApiDocument;
  noun: Noun;
  /** URL of the service. */
  origin: string;
  needOf: (operation: Operation) => RequiredScope;
}

/** The operations on one kind of resource. */
export const Operations = ({ noun, ...props }: OperationsProps) => (
  <>
    {noun.operations.map((operation) => (
      <Details {...props} operation={operation} />
    ))}
  </>
);

type DetailsProps = Omit<OperationsProps, "noun"> & { operation: Operation };

function Details({ document, operation, origin, needOf }: DetailsProps) {
  const { operationId: id, method, path, summary, description, parameters = [] } = operation;
  const rows = parameters.map(({ name, schema, required, ...rest }) => ({
    ...toField(document, name, { description: rest.description ?? "", ...schema }, required ?? false),
    place: rest.in,
  }));
  const body = operation.requestBody?.content ?? {};
  const bodySchema = Object.values(body)[0]?.schema;
  return (
    <article id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{summary}</h2>
      <p class="route">
        <b>{method}</b> {path}
      </p>
      {description === undefined ? null : <p>{withCode(description)}</p>}
      <p>
        {scopeText(needOf(operation))} Operation: <code>{id}</code>.
      </p>
      {(["path", "query", "header"] as const).map((place) => (
        <Fields
          title={`${{ path: "Path", query: "Query", header: "Headers" }[place]}`}
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
      <Snippets document={document} operation={operation} origin={origin} needOf={needOf} />
    </article>
  );
}

function scopeText(need: RequiredScope): string {
  if (need === "public" || need === "page") return "Needs no authentication.";
  if (need === "any") return "Every API key and session may call it.";
  if (need === "session") return "Needs a signed-in user; API keys are refused.";
  if (need === "platform_admin") return "Needs a signed-in administrator of the service; API keys are refused.";
  if (isServiceScope(need)) return "Takes requests of the service's own programs only.";
  return `Scope ${need}: ${scopes[need]}`;
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

function Responses({ document, operation }: { document: ApiDocument; operation: Operation }) {
  const responses = Object.entries(operation.responses);
  const good = responses.filter(([status]) => status.startsWith("2"));
  const schema = good[0]?.[1].content?.["application/json"]?.schema;
  return (
    <>
      <h3>Reply</h3>
      {good.map(([status, { description }]) => (
        <p>
          <b>{status}</b> {withCode(description)}
        </p>
      ))}
      {schema === undefined ? null : (
        <details>
          <summary>Fields and example of the response</summary>
          <Fields title="Fields" label={`${operation.summary}: response`} fields={toFields(document, schema)} />
          <h3>Example</h3>
          <Code
            label={`${operation.summary}: example of the response`}
            text={JSON.stringify(toExample(document, schema), null, 2)}
          />
        </details>
      )}
      <details>
        <summary>Errors</summary>
        <ul>
          {responses
            .filter(([status]) => !status.startsWith("2"))
            .map(([status, { description }]) => (
              <li>
                <b>{status}</b> {withCode(description)}
              </li>
            ))}
        </ul>
      </details>
    </>
  );
}

const Snippets = ({ document, operation, origin, needOf }: DetailsProps) => (
  <>
    <h3>Call it</h3>
    {snippetsOf(document, operation, origin).map(({ language, code }, at) => (
      <details open={at === 0}>
        <summary>{language}</summary>
        <Code label={`${operation.summary} with ${language}`} text={code} />
      </details>
    ))}
    {isTryable(operation, needOf(operation)) ? (
      <p>
        <a class="action" href={`/docs/try/${operation.operationId}`}>
          Try it: {operation.summary}
        </a>
      </p>
    ) : null}
  </>
);

/** Returns whether the page "try it" can call an operation: with a JSON body or none, and not by administrators only. */
export function isTryable(operation: Operation, need: RequiredScope): boolean {
  const types = Object.keys(operation.requestBody?.content ?? { "application/json": {} });
  if (operation.responses[101] !== undefined) return false;
  return types.includes("application/json") && need !== "platform_admin" && need !== "public";
}

/** Returns a text of the document with its parts between backticks as code. */
const withCode = (text: string) => text.split("`").map((part, at) => (at % 2 === 1 ? <code>{part}</code> : part));

/** Code that scrolls sideways in its own box. The keyboard reaches it, so that it can be scrolled without a mouse. */
export const Code = ({ label, text }: { label: string; text: string }) => (
  <section class="code-box" aria-label={label} tabindex={0} data-copy="" data-what={label}>
    <pre>{text}</pre>
  </section>
);
