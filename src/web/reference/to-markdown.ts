import type { Settings } from "../../platform/settings/settings.ts";
import {
  type ApiDocument,
  type Contents,
  errorsOf,
  type Noun,
  type Operation,
  type Source,
  successOf,
} from "./document.ts";
import { errorExample, furtherExamples, toExample } from "./examples.ts";
import { pathOf } from "./guides.ts";
import { type Field, toField, toFields } from "./schemas.ts";
import { scopeText } from "./scope-text.ts";
import { snippetsOf } from "./snippets.ts";

/** Returns the operations on one kind of resource as Markdown, for assistants and notes: what their page says. */
export const nounToMarkdown = (source: Source, { name, operations }: Noun): string =>
  [`# ${name}`, ...operations.map((operation) => operationToMarkdown(source, operation))].join("\n\n").concat("\n");

/** Returns the table of contents for assistants (https://llmstxt.org): links to the Markdown of the guides, rules and resources. */
export function toLlmsText(
  { nouns, guides }: Contents,
  { publicUrl: origin, serviceName }: Pick<Settings, "publicUrl" | "serviceName">,
): string {
  const guideLinks = (kind: string) =>
    guides.filter((guide) => guide.kind === kind).map((guide) => `- [${guide.title}](${origin}${pathOf(guide)}.md)`);
  const resources = nouns.map(
    ({ slug, name, operations }) =>
      `- [${name}](${origin}/docs/${slug}.md): ${operations.map(({ summary }) => summary).join("; ")}`,
  );
  return [
    `# ${serviceName}`,
    "> Sends email over a REST API and SMTP, and reports the delivery of every recipient.",
    `The API is below ${origin}/v1/ and takes \`Authorization: Bearer <API key>\`. Assistants can call it as tools at ${origin}/mcp.`,
    ...["## Guides", guideLinks("guides").join("\n")],
    ...["## Rules of the API", guideLinks("rules").join("\n")],
    ...["## Operations", resources.join("\n")],
    ...["## Optional", `- [OpenAPI document](${origin}/openapi.json)`],
  ]
    .join("\n\n")
    .concat("\n");
}

function operationToMarkdown({ document, origin, needOf }: Source, operation: Operation): string {
  const { operationId, method, path, summary, description, parameters = [], requestBody } = operation;
  const rows = parameters.map(({ name, schema, required, in: place, ...rest }) =>
    toField(document, `${name} (${place})`, { description: rest.description ?? "", ...schema }, required ?? false),
  );
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [status, success] = successOf(operation) ?? [];
  const reply = success?.content?.["application/json"]?.schema;
  const json = requestBody?.content["application/json"]?.schema;
  const parts = [
    `## ${summary}`,
    `\`${method} ${path}\``,
    description,
    `${scopeText(needOf(operation))} Operation: \`${operationId}\`.`,
    toTable("Parameters", rows),
    body && toTable(`Body (${type})`, toFields(document, body.schema)),
    ...snippetsOf(document, operation, origin).map(({ language, code }) => `### ${language}\n\n${fenced(code)}`),
    ...(json ? furtherExamples(document, json) : []).map(({ title, value }) => `### ${title}\n\n${fencedJson(value)}`),
    success && `### Response ${status}\n\n${success.description}`,
    reply && toTable("Fields of the response", toFields(document, reply)),
    reply && fencedJson(toExample(document, reply)),
    `### Errors\n\n${errorLines(document, operation)}`,
  ];
  return parts.filter((part) => part !== undefined && part !== "").join("\n\n");
}

function errorLines(document: ApiDocument, operation: Operation): string {
  return errorsOf(operation)
    .map(([status, { description, content }]) => {
      const example = errorExample(document, content);
      return `- ${status}: ${description}${example === undefined ? "" : ` \`${JSON.stringify(example)}\``}`;
    })
    .join("\n");
}

function toTable(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return "";
  const lines = fields.map(({ name, type, isRequired, limits, description }) => {
    const cells = [`\`${name}\``, type, isRequired ? "yes" : "", limits, description];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  });
  return [`### ${title}`, "", "| name | type | required | limits | meaning |", "|---|---|---|---|---|", ...lines].join(
    "\n",
  );
}

const fenced = (code: string) => `\`\`\`\n${code}\n\`\`\``;
const fencedJson = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
