import { Form, Notice, Submit } from "../../http/ui/index.ts";
import { ColouredCode } from "./code.tsx";
import type { Contents, Operation, Parameter } from "./document.ts";
import { ReferenceLayout } from "./layout.tsx";
import { type ShownResponse, takesKey, type Values } from "./try-operation.ts";

interface TryPageProps {
  contents: Contents;
  operation: Operation;
  values: Values;
  idempotencyKey: string;
  error?: string;
  response?: ShownResponse;
}

/** The form that calls an operation as the signed-in user, and the response to the last call. */
export function TryPage({ contents, operation, values, idempotencyKey, error, response }: TryPageProps) {
  const { method, path, summary, parameters = [] } = operation;
  const withKey = takesKey(operation);
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
        <Form>
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
          {withKey ? (
            <div class="field">
              <label for="key">Idempotency-Key</label>
              <input id="key" name="key" value={idempotencyKey} maxlength={255} required autocomplete="off" />
              <p class="hint">
                A call with a key that was sent before does nothing again, and gets the stored response.
              </p>
            </div>
          ) : null}
          <div class="actions">
            <Submit label={`${method} ${path}`} kind={method === "DELETE" ? "danger" : undefined} />
            {withKey && response !== undefined ? (
              <button type="submit" class="quiet" name="same_key" value={values.key}>
                Call again with the same key
              </button>
            ) : null}
          </div>
        </Form>
      </article>
      {response === undefined ? null : <Reply response={response} sentKey={withKey ? values.key : undefined} />}
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

const Reply = ({ response, sentKey }: { response: ShownResponse; sentKey: string | undefined }) => (
  <article aria-labelledby="answer">
    <h2 id="answer">
      {response.title}: {response.status}
    </h2>
    <p class="hint">
      Request <code>{response.requestId}</code>
      {sentKey === undefined ? null : (
        <>
          {" "}
          with Idempotency-Key <code>{sentKey}</code>
        </>
      )}
    </p>
    {response.isReplayed ? (
      <Notice kind="good">
        Replayed: the stored response of the first call with this key. Nothing was done again.
      </Notice>
    ) : null}
    <ColouredCode label="Body of the response" text={response.text || "The response has no body."} />
  </article>
);
