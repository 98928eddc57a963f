import type { CallerCtx } from "../../../access/caller.ts";
import { parseUuid } from "../../../lib/ids.ts";
import { LiquidTextError } from "../../../lib/liquid/text.ts";
import type { Values } from "../../../lib/placeholders.ts";
import type { Ctx } from "../../../platform/context.ts";
import {
  BODY_COLUMNS,
  type BodyParts,
  fillContents,
  NO_PARTS,
  type ParsedTemplate,
  parseTemplate,
  readParts,
  renderTemplate,
  type TemplateContent,
  UNFIT_VARIABLE,
  unfitVariable,
} from "../../templates/index.ts";
import { limits } from "../rules.ts";
import type { SendIn } from "../schema.ts";
import { type Issue, invalid } from "./issues.ts";
import { earlyRecords, type StoredTemplate, type Templates } from "./records.ts";

/** Bytes of the templates of one batch, which an isolate holds at once. */
const MAX_BYTES = 20_000_000;

const find = (workspace: string) => `
  SELECT t.id, t.subject, ${BODY_COLUMNS}, t.language, t.parts FROM (
    SELECT *, sum(size) OVER (ORDER BY id) AS total FROM templates
     WHERE workspace = ${workspace} AND id IN (SELECT value FROM json_each(?2))) t
   WHERE total <= ${MAX_BYTES}`;

/** Returns the statement that reads templates. `workspace` is an SQL expression of `?1`, to which `parameter` is bound. */
export function findTemplatesStatement(ctx: Ctx, workspace: string, parameter: unknown, ids: ReadonlySet<string>) {
  return ctx.db.prepare(find(workspace)).bind(parameter, JSON.stringify([...ids]));
}

export function toTemplates(result: D1Result | undefined): Templates {
  const rows = (result?.results ?? []) as StoredTemplate[];
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the ids of the templates that a send or a batch names, whose form was not checked. */
export function findTemplateIds(items: readonly unknown[]): Set<string> {
  const ids = items.map((item) => (Object(item) as { template_id?: unknown }).template_id);
  return new Set(ids.flatMap((id) => (typeof id === "string" ? (parseUuid(id) ?? []) : [])));
}

/** A request whose subject and bodies are those of its template, and the issues of that. */
export interface ResolvedInput {
  input: SendIn;
  issues: Issue[];
}

/**
 * Replaces the template of each request by its rendered subject, html and text (docs/contract/templates.md#stored-templates). Templates
 * that were read with the credential need no query, the others take one D1 call. Large ones are read from R2. Other requests stay the same.
 */
export async function resolveTemplates(ctx: CallerCtx, inputs: readonly SendIn[]): Promise<ResolvedInput[]> {
  const ids = findTemplateIds(inputs);
  if (inputs.every(({ template_id }) => template_id === undefined || template_id === null))
    return inputs.map((input) => ({ input, issues: [] }));
  const early = earlyRecords.get(ctx)?.templates;
  const isRead = [...ids].every((id) => early?.has(id));
  const stored =
    early && isRead
      ? early
      : toTemplates(await findTemplatesStatement(ctx, "?1", ctx.workspace.number, ids).all<unknown>());
  const rows = [...stored.values()];
  const names = rows.flatMap(({ parts }) => (parts === null ? [] : (JSON.parse(parts) as string[])));
  const [templates, parts] = await Promise.all([
    fillContents(ctx, rows),
    readParts(ctx, ctx.workspace.number, names, rows.length),
  ]);
  const renderer = new Renderer(new Map(templates.map((template) => [template.id, template])), parts, ctx.now());
  return inputs.map((input) => resolve(input, renderer));
}

/** Work of rendering the templates of one request (src/lib/liquid/meter.ts), in characters too: an isolate holds them at once. */
const MAX_WORK = 60_000_000;

/** Renders the templates of one request. The bodies of each are parsed once; the subject may be another for each email. */
class Renderer {
  readonly templates: ReadonlyMap<string, TemplateContent>;
  readonly #parts: BodyParts;
  readonly #now: number;
  readonly #budget = { work: MAX_WORK };
  readonly #bodies = new Map<string, ParsedTemplate>();

  /** `now`: the time of the emails, in ms since 1970. */
  constructor(templates: ReadonlyMap<string, TemplateContent>, parts: BodyParts, now: number) {
    this.templates = templates;
    this.#parts = parts;
    this.#now = now;
  }

  /** Returns null when the result is too long, or the results of the request together. Throws LiquidTextError. */
  render(id: string, template: TemplateContent, values: Values) {
    if (this.#budget.work <= 0) return null;
    const bodies = this.#bodies.get(id) ?? parseTemplate({ ...template, subject: null }, this.#parts);
    this.#bodies.set(id, bodies);
    const { subject } = parseTemplate({ ...template, htmlBody: null, textBody: null }, NO_PARTS);
    const rendered = renderTemplate({ ...bodies, subject }, { values, now: this.#now, budget: this.#budget });
    this.#budget.work -= (rendered?.htmlBody?.length ?? 0) + (rendered?.textBody?.length ?? 0);
    return rendered;
  }
}

function resolve(input: SendIn, renderer: Renderer): ResolvedInput {
  const { template_id: templateId } = input;
  if (templateId === undefined || templateId === null) return { input, issues: [] };
  // Bodies that cause no issue of their own.
  const refused = (...issues: Issue[]) => ({ input: { ...input, subject: "", html: null, text: "-" }, issues });
  const variables = input.variables ?? {};
  const id = parseUuid(templateId) ?? "";
  const template = renderer.templates.get(id);
  if (!template) return refused(invalid("content", ["template_id"], "No template has this id"));
  for (const body of ["html", "text"] as const)
    if (input[body]) return refused(invalid("content", [body], `An email by template takes no ${body}`));
  const subject = input.subject ?? template.subject;
  if (subject === null || subject === undefined)
    return refused(invalid("content", ["subject"], "subject is required, because the template has none", "missing"));
  const unfit = unfitVariable(template.language, variables);
  if (unfit !== null) return refused(invalid("content", ["variables", unfit], UNFIT_VARIABLE));
  let rendered: ReturnType<Renderer["render"]>;
  try {
    rendered = renderer.render(id, { ...template, subject }, variables);
  } catch (error) {
    if (!(error instanceof LiquidTextError)) throw error;
    return refused(invalid("content", ["template_id"], `The template cannot be rendered: ${error.message}`));
  }
  if (rendered === null) {
    const most = [limits.bodyBytes, MAX_WORK].map((limit) => limit.toLocaleString("en"));
    const error = `The rendered template is too long; the limit is ${most[0]} bytes, and ${most[1]} characters for a batch, with what it reads`;
    return refused({ field: "content", status: 413, loc: [], type: "too_large", error });
  }
  const { htmlBody: html, textBody: text, missing } = rendered;
  const lacks = missing.map((name) => `The template reads \`${name}\`, for which variables has no value`);
  const warnings = [...(input.warnings ?? []), ...lacks];
  return { input: { ...input, subject: rendered.subject ?? "", html, text, warnings }, issues: [] };
}
