import { Code, Form, Notice, Submit } from "../../http/ui/index.ts";
import type { Contents, Operation, Parameter } from "./document.ts";
import { ReferenceLayout } from "./layout.tsx";

/** The response to a call, as the page shows it. */
interface ShownResponse {
  /** Heading of the result, such as "Response". */
  title: string;
  status: number;
  requestId: string;
  text: string;
}

interface TryPageProps {
  contents: Contents;
  operation: Operation;
  /** Values of the form by name of the field: `path.<name>`, `query.<name>` and `body`. */
  values: Readonly<Record<string, string>>;
  /** Sent with the call, so that a form that is submitted twice acts once. */
  idempotencyKey: string;
  /** Why the call was not made. */
  error?: string;
  response?: ShownResponse;
}

/** The form that calls an operation as the signed-in user, and the response to the last call. */
export function TryPage({ contents, operation, values, idempotencyKey, error, response }: TryPageProps) {
  const { method, path, summary, parameters = [] } = operation;
  return (
    <ReferenceLayout title={`Try it: ${summary}`} contents={contents}>
      <article>
        <p class="route">
          <b>{method}</b> {path}
        </p>
        <p>
          The call is made as you, in your active workspace.
          {operation.operationId === "sendEmail" ? " It is validated first. Its recipient is simulated." : ""}
        </p>
        {error === undefined ? null : <Notice kind="bad">{error}</Notice>}
        <Form fields={{ key: idempotencyKey }}>
          {parameters
            .filter((parameter) => parameter.in !== "header")
            .map((parameter) => (
              <ParameterField parameter={parameter} value={values[fieldOf(parameter)] ?? ""} />
            ))}
          {operation.requestBody ? (
            <div class="field">
              <label for="body">Body (JSON)</label>
              <textarea id="body" name="body" rows={16} spellcheck={false}>
                {values.body ?? ""}
              </textarea>
            </div>
          ) : null}
          <Submit label={`${method} ${path}`} kind={method === "DELETE" ? "danger" : undefined} />
        </Form>
      </article>
      {response === undefined ? null : <Reply {...response} />}
    </ReferenceLayout>
  );
}

/** Returns the name of the field of a parameter. */
export const fieldOf = (parameter: Parameter) => `${parameter.in}.${parameter.name}`;

function ParameterField({ parameter, value }: { parameter: Parameter; value: string }) {
  const name = fieldOf(parameter);
  return (
    <div class="field">
      <label for={name}>
        {parameter.name} {parameter.required ? null : <span class="need">optional</span>}
      </label>
      <input id={name} name={name} value={value} required={parameter.required} autocomplete="off" />
    </div>
  );
}

const Reply = ({ title, status, requestId, text }: ShownResponse) => (
  <article aria-labelledby="answer">
    <h2 id="answer">
      {title}: {status}
    </h2>
    <p class="hint">
      Request <code>{requestId}</code>
    </p>
    <Code label="Body of the response" text={text === "" ? "The response has no body." : text} />
  </article>
);
