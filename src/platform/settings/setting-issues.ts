import { parseVariables } from "./settings.ts";

/** Bindings, and names of queues, without which the Worker cannot do its work. The mail databases are counted beside them. */
const BINDINGS = [
  "DB",
  "CONTENT",
  "ASSETS",
  "WORK",
  "HITS",
  "WEBHOOKS",
  "AUTOMATIONS",
  "REQUEST_RATE_LIMIT",
  "SEND_RATE_LIMIT",
  "WORKSPACE_REQUEST_RATE_LIMIT",
  "WORKSPACE_SEND_RATE_LIMIT",
  "RATE_LIMITER",
  "MAILBOX",
  "DOMAIN_TRANSFER",
  "WORK_QUEUE",
  "HITS_QUEUE",
  "WEBHOOKS_QUEUE",
  "AUTOMATIONS_QUEUE",
];

/**
 * Returns what is wrong with the settings of a deployment, checked as a whole: malformed and missing variables, secrets and
 * bindings, and placeholders outside of local work. Each issue names what to set, never a value. Pure.
 */
export function findSettingIssues(env: object): string[] {
  const { issues, settings } = parseVariables(env);
  const placeholders = settings?.placeholders ?? [];
  return [
    ...issues,
    ...placeholders.map((name) => `${name}: a placeholder; set the value of this deployment`),
    ...missingBindings(env),
  ];
}

function missingBindings(env: object): string[] {
  const bindings = env as Readonly<Record<string, unknown>>;
  const missing = BINDINGS.filter((name) => bindings[name] === undefined);
  const hasMailDatabase = Object.keys(env).some((name) => /^MAIL_\d+$/.test(name));
  return [...missing, ...(hasMailDatabase ? [] : ["MAIL_0"])].map((name) => `${name}: missing`);
}

/**
 * Returns what the deployment lacks, when that explains an unexpected error: settings, bindings or migrations; null otherwise. Names no
 * value and no table, and in local work what sets up everything. Pure.
 */
export function findSetupIssue(env: object, error: unknown): string | null {
  const missing = [...parseVariables(env).issues, ...missingBindings(env)];
  if (lacksMigrations(error)) missing.push(`Databases: ${NOT_MIGRATED}`);
  if (missing.length === 0) return null;
  const isLocal = ["local", undefined].includes((env as { ENVIRONMENT?: string }).ENVIRONMENT);
  const hint = " Run npm start, which sets up everything, or follow the steps in .dev.vars.example.";
  return `${missing.join(". ")}.${isLocal ? hint : ""}`;
}

export const NOT_MIGRATED = "migrations are not applied";

/** Returns whether a statement missed a table or a column. Pure. */
export const lacksMigrations = (error: unknown): boolean =>
  /no such (table|column): |has no column named/.test(`${error} ${(error as Error | undefined)?.cause}`);

/**
 * Returns what is wrong with the zones of delegated domains. Such a zone is not used, and nothing else depends on it: mail is signed with
 * the keys of today, so that the service stays ready. Pure.
 */
export const findZoneIssues = (env: object): readonly string[] => parseVariables(env).settings?.zoneIssues ?? [];

/** Returns what is wrong with the key for complaints. Bulk mail leaves without CFBL-Address then, as without a key. Pure. */
export const findCfblIssues = (env: object): readonly string[] => parseVariables(env).settings?.cfblIssues ?? [];

const reported = new WeakSet<object>();

/** Logs the issues of the settings in one line, once in an isolate. Call it before anything that reads the settings. */
export function reportSettingIssues(env: object, log: (line: string) => void = console.error): void {
  if (reported.has(env)) return;
  reported.add(env);
  const issues = [...findSettingIssues(env), ...findZoneIssues(env), ...findCfblIssues(env)];
  if (issues.length > 0) log(JSON.stringify({ level: "error", event: "settings.invalid", issues }));
}
