import type { RequiredScope } from "../../access/accounts/scopes.ts";
import { Code } from "../../http/ui/index.ts";
import { Json, withCode } from "./code.tsx";
import { type ApiDocument, errorsOf, type Operation, successOf } from "./document.ts";
import { errorExample, furtherExamples, toExample } from "./examples.ts";
import { snippetsOf } from "./snippets.ts";

interface OperationExamplesProps {
  document: ApiDocument;
  operation: Operation;
  /** URL of the service. */
  origin: string;
  needOf: (operation: Operation) => RequiredScope;
}

/** The code that a program writes and reads to call an operation: the call in each language, further bodies, the response, all errors. */
export function OperationExamples({ document, operation, origin, needOf }: OperationExamplesProps) {
  const { operationId, summary, requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const success = successOf(operation);
  const reply = success?.[1].content?.["application/json"]?.schema;
  return (
    <div class="examples">
      {snippetsOf(document, operation, origin).map(({ language, code }) => (
        <div class="snippet" data-language={language}>
          <h3>{language}</h3>
          <Code label={`${summary} with ${language}`} text={code} />
        </div>
      ))}
      {body === undefined
        ? null
        : furtherExamples(document, body).map(({ title, value }) => (
            <details>
              <summary>{title}</summary>
              <Json label={`${summary}: ${title}`} value={value} />
            </details>
          ))}
      {reply === undefined ? null : (
        <>
          <h3>Response {success?.[0]}</h3>
          <Json label={`${summary}: example of the response`} value={toExample(document, reply)} />
        </>
      )}
      <Errors document={document} operation={operation} />
      {isTryable(operation, needOf(operation)) ? (
        <p>
          <a class="action" href={`/docs/try/${operationId}`}>
            Try it: {summary}
          </a>
        </p>
      ) : null}
    </div>
  );
}

const Errors = ({ document, operation }: Pick<OperationExamplesProps, "document" | "operation">) => (
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

/** Returns whether the page "try it" can call an operation: with a JSON body or none, and not by administrators only. */
export function isTryable(operation: Operation, need: RequiredScope): boolean {
  const types = Object.keys(operation.requestBody?.content ?? { "application/json": {} });
  if (operation.responses[101] !== undefined) return false;
  return types.includes("application/json") && need !== "platform_admin" && need !== "public";
}
