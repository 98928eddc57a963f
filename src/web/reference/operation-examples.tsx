import type { RequiredScope } from "../../access/accounts/scopes.ts";
import { ColouredCode, Json } from "./code.tsx";
import { type Operation, type Source, successOf } from "./document.ts";
import { furtherExamples, toExample } from "./examples.ts";
import { snippetsOf } from "./snippets.ts";

/** The code that a program writes and reads to call an operation: the call in each language, further bodies, the response. */
export function OperationExamples({ document, operation, origin }: Omit<Source, "needOf"> & { operation: Operation }) {
  const { summary, requestBody } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const success = successOf(operation);
  const reply = success?.[1].content?.["application/json"]?.schema;
  return (
    <div class="examples">
      {snippetsOf(document, operation, origin).map(({ language, code }) => (
        <div class="snippet" data-language={language}>
          <h3>{language}</h3>
          <ColouredCode label={`${summary} with ${language}`} text={code} />
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
    </div>
  );
}

/** Returns whether the page "try it" can call an operation: with a JSON body or none, and not by administrators only. */
export function isTryable(operation: Operation, need: RequiredScope): boolean {
  const types = Object.keys(operation.requestBody?.content ?? { "application/json": {} });
  if (operation.responses[101] !== undefined) return false;
  return types.includes("application/json") && need !== "platform_admin" && need !== "public";
}
