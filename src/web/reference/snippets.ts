import type { ApiDocument, Operation } from "./document.ts";
import { toExample } from "./examples.ts";

/** Example code that calls an operation. */
export interface Snippet {
  language: "curl" | "TypeScript" | "Python" | "SMTP";
  code: string;
}

/** The request of a snippet: a path with example ids, and a JSON body or the name of the file of a form. */
interface ExampleCall {
  method: string;
  path: string;
  ids: (string | number)[];
  json?: unknown;
  isUpload: boolean;
  /** Media type of a body that is a file. */
  fileType?: string;
  /** True when the response is a file, of which the client returns the Response. */
  isDownload: boolean;
}

/** Returns snippets that call an operation with an API key of the environment; none where that is refused or a WebSocket is opened. */
export function snippetsOf(document: ApiDocument, operation: Operation, origin: string): Snippet[] {
  // curl and the client open no WebSocket (status 101).
  if (operation.security !== undefined || operation.responses[101] !== undefined) return [];
  const call = exampleCall(document, operation);
  const snippets: Snippet[] = [
    { language: "curl", code: curlOf(call, origin) },
    { language: "TypeScript", code: typescriptOf(operation.operationId, call, origin) },
    { language: "Python", code: pythonOf(call, origin) },
  ];
  return operation.operationId === "sendEmail" ? [...snippets, { language: "SMTP", code: SMTP }] : snippets;
}

/** Media types of bodies that are fields. */
const KNOWN_BODIES = ["application/json", "multipart/form-data", "application/x-www-form-urlencoded"];

function exampleCall(document: ApiDocument, operation: Operation): ExampleCall {
  const parameters = operation.parameters ?? [];
  const ids = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const example = parameters.find((parameter) => parameter.in === "path" && parameter.name === name)?.example ?? name;
    return typeof example === "number" ? example : String(example);
  });
  const rest = [...ids];
  const query = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const search = new URLSearchParams(
    query.map(({ name, schema, example }) => [name, String(example ?? toExample(document, schema))]),
  );
  const path = operation.path.replace(/\{\w+\}/g, () => encodeURIComponent(rest.shift() ?? ""));
  const results = Object.entries(operation.responses).filter(([status]) => status.startsWith("2"));
  const content = operation.requestBody?.content ?? {};
  const schema = content["application/json"]?.schema;
  const fileType = Object.keys(content).find((type) => !KNOWN_BODIES.includes(type));
  return {
    method: operation.method,
    path: search.size > 0 ? `${path}?${search}` : path,
    ids,
    ...(schema ? { json: toExample(document, schema) } : {}),
    isUpload: content["multipart/form-data"] !== undefined,
    ...(fileType === undefined ? {} : { fileType }),
    isDownload: results.some(([, { content: body }]) => body !== undefined && body["application/json"] === undefined),
  };
}

const json = (value: unknown) => JSON.stringify(value, null, 2);

function curlOf({ method, path, json: body, isUpload, fileType }: ExampleCall, origin: string): string {
  const lines = [`curl -X ${method} '${origin}${path}'`, `-H "Authorization: Bearer $API_KEY"`];
  if (isUpload) lines.push("-F file=@contacts.csv");
  if (fileType !== undefined) lines.push(`-H 'Content-Type: ${fileType}'`, "--data-binary @archive");
  if (body !== undefined)
    lines.push("-H 'Content-Type: application/json'", `-d '${json(body).replaceAll("'", "'\\''")}'`);
  return lines.join(" \\\n  ");
}

function typescriptOf(
  name: string,
  { ids, json: body, isUpload, fileType, path, isDownload }: ExampleCall,
  origin: string,
): string {
  const args = ids.map((id) => JSON.stringify(id));
  // The names of fields need no quotes.
  if (body !== undefined) args.push(json(body).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, "$1$2:"));
  if (isUpload) args.push('new Blob(["email,name\\nada@example.org,Ada\\n"])');
  if (fileType !== undefined) args.push(`new Blob(["From ada@example.org\\n"], { type: "${fileType}" })`);
  const query = new URL(path, origin).searchParams;
  if (query.size > 0) args.push(json(Object.fromEntries(query)));
  return `import { createClient } from "email-delivery-client";

const service = createClient({ baseUrl: "${origin}", apiKey: process.env.API_KEY ?? "" });
const response = await service.${name}(${args.join(", ")});
console.log(${isDownload ? "await response.text()" : "response"});`;
}

function pythonOf({ method, path, json: body, isUpload, fileType }: ExampleCall, origin: string): string {
  const headers = [`"Authorization": "Bearer " + os.environ["API_KEY"]`];
  if (fileType !== undefined) headers.push(`"Content-Type": "${fileType}"`);
  const sent = [
    ...(body === undefined ? [] : [`json=${toPython(json(body))}`]),
    ...(isUpload ? [`files={"file": open("contacts.csv", "rb")}`] : []),
    ...(fileType === undefined ? [] : [`data=open("archive", "rb")`]),
  ];
  const lines = [`"${origin}${path}"`, `headers={${headers.join(", ")}}`, ...sent].map(
    (line) => `    ${indent(line)},`,
  );
  return `import os
import requests

response = requests.${method.toLowerCase()}(
${lines.join("\n")}
)
response.raise_for_status()
print(response.status_code, response.text)`;
}

const indent = (text: string) => text.replaceAll("\n", "\n    ");

/** Turns JSON into a literal of Python: only the names of three values differ, outside of strings. */
const toPython = (text: string) =>
  text.replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) =>
    token === "true" ? "True" : token === "false" ? "False" : token === "null" ? "None" : token,
  );

const SMTP = `# USERNAME and PASSWORD are those of an SMTP credential of the domain.
printf 'From: hello@example.com\\r\\nTo: ada@example.org\\r\\nSubject: Your receipt\\r\\n\\r\\nThank you for your order.\\r\\n' |
  curl --ssl-reqd "smtp://$SMTP_HOST:$SMTP_PORT" --user "$USERNAME:$PASSWORD" \\
    --mail-from hello@example.com --mail-rcpt ada@example.org --upload-file -`;
