import { utf8 } from "../../lib/bytes.ts";
import { uuidFromHash } from "../../lib/ids.ts";
import type { MailCtx } from "../../platform/context.ts";
import type { automationVersions } from "../../platform/db/schema/mail/index.ts";
import type { StoredColumns } from "../../platform/db/stored-row.ts";
import { compile, type Node } from "./compile.ts";
import { type Definition, placedSteps } from "./definition.ts";

/** A version that people entered, ready to be run. */
export interface Version {
  /** automation_versions.n */
  n: number;
  automation: number;
  definition: Definition;
  nodes: readonly Node[];
  /** Ids of the rows that have the content of emails, by path of the step. */
  emails: ReadonlyMap<string, string>;
}

/** Characters of the definitions that an isolate keeps; beyond them it forgets all. A version never changes. */
const MAX_CACHED = 8_000_000;
const cache = new Map<string, Version>();
let cached = 0;

const FIND = `
  SELECT v.n, v.automation, v.number, v.definition, a.id AS automation_id
    FROM json_each(?1) j CROSS JOIN automation_versions v ON v.n = j.value CROSS JOIN automations a ON a.n = v.automation`;

type VersionRow = StoredColumns<typeof automationVersions, "n" | "automation" | "number" | "definition"> & {
  automation_id: string;
};

/** Returns versions by number, in one D1 call unless this isolate knows all. */
export async function findVersions(ctx: MailCtx, numbers: Iterable<number>): Promise<ReadonlyMap<number, Version>> {
  const found = new Map<number, Version>();
  const unknown: number[] = [];
  for (const n of new Set(numbers)) {
    const known = cache.get(`${ctx.shard} ${n}`);
    if (known) found.set(n, known);
    else unknown.push(n);
  }
  if (unknown.length === 0) return found;
  const results = await ctx.mail.listRows<VersionRow>(FIND, JSON.stringify(unknown));
  for (const row of results) {
    const version = await toVersion(row);
    cached += row.definition.length;
    if (cached > MAX_CACHED) {
      cache.clear();
      cached = row.definition.length;
    }
    cache.set(`${ctx.shard} ${row.n}`, version);
    found.set(row.n, version);
  }
  return found;
}

async function toVersion({ n, automation, number, definition: json, automation_id: id }: VersionRow): Promise<Version> {
  const definition = JSON.parse(json) as Definition;
  const emails = await Promise.all(
    placedSteps(definition.steps)
      .filter(({ step }) => step.kind === "send_email")
      .map(async ({ path }) => [path, await emailRowId(id, number, path)] as const),
  );
  return { n, automation, definition, nodes: compile(definition), emails: new Map(emails) };
}

/** Returns the id of the row of `broadcasts` that has the content and the counts of the emails of a step of a version. */
export const emailRowId = (automationId: string, version: number, path: string): Promise<string> =>
  uuidFromHash(utf8(`automation email ${automationId} ${version} ${path}`));
