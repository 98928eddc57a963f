import type { CallerCtx } from "../../access/caller.ts";
import { unprocessable, type ValidationError } from "../../lib/errors.ts";
import { referencesOf } from "../conditions/index.ts";
import {
  type Definition,
  type PlacedConditions,
  type PlacedStep,
  placedConditions,
  placedSteps,
  stepNumber,
} from "./definition.ts";

/** Tables of the main database whose rows steps name. */
const IN_MAIN = {
  mailbox: "mailboxes",
  template: "templates",
  topic: "topics",
  webhook: "webhooks",
} as const;

/** Those of the mail database. */
const IN_MAIL = { list: "contact_lists", segment: "segments", broadcast: "broadcasts" } as const;

type Kind = keyof typeof IN_MAIN | keyof typeof IN_MAIL;

/** A name of something by its id, and where the definition has it. */
interface Reference {
  kind: Kind;
  id: string;
  /** Path of the step; null: in the trigger or the entry. */
  path: string | null;
  /** Field of the conditions that name it. */
  field?: string;
}

function ofStep({ path, step }: PlacedStep): Reference[] {
  switch (step.kind) {
    case "send_email":
      return [
        { kind: "mailbox", id: step.mailbox_id, path },
        ...(step.template_id ? [{ kind: "template" as const, id: step.template_id, path }] : []),
        ...(step.topic_id ? [{ kind: "topic" as const, id: step.topic_id, path }] : []),
      ];
    case "add_to_list":
    case "remove_from_list":
      return [{ kind: "list", id: step.list_id, path }];
    case "change_topic":
      return [{ kind: "topic", id: step.topic_id, path }];
    case "webhook":
      return [{ kind: "webhook", id: step.webhook_id, path }];
    default:
      return [];
  }
}

function ofConditions({ path, field, conditions }: PlacedConditions): Reference[] {
  const { lists, topics, segments, broadcasts } = referencesOf(conditions);
  const all = { list: lists, topic: topics, segment: segments, broadcast: broadcasts };
  return Object.entries(all).flatMap(([kind, ids]) => ids.map((id) => ({ kind: kind as Kind, id, path, field })));
}

/** Throws 422 with each id that an automation names and that does not exist in the workspace. Two D1 calls. */
export async function checkReferences(ctx: CallerCtx, definition: Definition): Promise<void> {
  const named = [
    ...placedSteps(definition.steps).flatMap(ofStep),
    ...placedConditions(definition).flatMap(ofConditions),
  ];
  const found = await findExisting(ctx, named);
  const missing = named.filter(({ kind, id }) => !found.has(`${kind} ${id}`));
  if (missing.length > 0) throw unprocessable(missing.map(toError));
}

function toError({ kind, id, path, field }: Reference): ValidationError {
  const inField = field === undefined ? [] : field.split(".");
  const loc = ["body", ...(path === null ? [] : ["steps", ...path.split(".")]), ...inField];
  const step = path === null ? null : stepNumber(path);
  const where = step === null ? "A condition" : field === undefined ? `Step ${step}` : `A condition of step ${step}`;
  return { loc, msg: `${where} names a ${kind} that does not exist: ${id}`, type: "value_error" };
}

async function findExisting(ctx: CallerCtx, named: readonly Reference[]): Promise<Set<string>> {
  if (named.length === 0) return new Set();
  const workspace = ctx.workspace.number;
  const select = (kind: string, table: string) =>
    `SELECT '${kind} ' || t.id AS name FROM json_each(?2) j CROSS JOIN ${table} t ON t.workspace = ?1 AND t.id = j.value`;
  const idsOf = (kind: string) => JSON.stringify(named.flatMap((one) => (one.kind === kind ? one.id : [])));
  const [main, mail] = await Promise.all([
    ctx.db.batch<{ name: string }>(
      Object.entries(IN_MAIN).map(([kind, table]) => ctx.db.prepare(select(kind, table)).bind(workspace, idsOf(kind))),
    ),
    ctx.mail.batch<{ name: string }>(
      Object.entries(IN_MAIL).map(([kind, table]) =>
        ctx.mail.prepare(select(kind, table)).bind(workspace, idsOf(kind)),
      ),
    ),
  ]);
  return new Set([...main, ...mail].flatMap(({ results }) => results.map(({ name }) => name)));
}
