// `npm run rotate-secrets`: replaces the master key of a deployment, in two steps (docs/operating.md).
//   npm run rotate-secrets -- --add   prints MASTER_KEYS with a new key at the end; set it as the secret and deploy
//   npm run rotate-secrets            encrypts all stored secrets under the new key, and says when the old one may go
// Both take --url <PUBLIC_URL> with MASTER_KEYS set; without it they use the service that `npm start` runs.
import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import type { RotationReport } from "../src/secret-rotation/report.ts";
import type { Cursor } from "../src/secret-rotation/rewrap.ts";
import { readSettings } from "../src/settings.ts";
import { readLayout } from "./layout.ts";
import { askAsOperator, findTarget, type Target } from "./operator.ts";
import { loadSecrets, saveSecrets } from "./state/secrets.ts";

interface Step {
  version: number;
  rewrapped: number;
  next: Cursor | null;
  report: RotationReport | null;
}

try {
  const { values } = parseArgs({ options: { add: { type: "boolean" }, url: { type: "string" } } });
  if (values.add) await add(values.url);
  else await rewrapAll(await findTarget(values.url));
} catch (error) {
  console.error((error as Error).message);
  console.error("Usage: npm run rotate-secrets -- [--add] [--url <PUBLIC_URL of a deployment, with MASTER_KEYS set>]");
  process.exit(1);
}

/** Prints the master keys with a new one. The local service gets it at its next start. */
async function add(url: string | undefined): Promise<void> {
  const layout = readLayout(process.env);
  const old = url === undefined ? (await loadSecrets(layout)).master_keys : (await findTarget(url)).masterKeys;
  const { masterKeys } = readSettings({ MASTER_KEYS: old });
  const version = Math.max(...masterKeys.map((key) => key.version)) + 1;
  const fresh = `${old},${version}:${randomBytes(32).toString("base64")}`;
  if (url === undefined) {
    await saveSecrets(layout, { ...(await loadSecrets(layout)), master_keys: fresh });
    console.log(`Key ${version} is added. Restart npm start, then run npm run rotate-secrets.`);
  } else
    console.log(
      `Set this secret with npx wrangler secret put MASTER_KEYS, then run this command without --add:\n\n${fresh}`,
    );
}

async function rewrapAll(target: Target): Promise<void> {
  let total = 0;
  for (let cursor: Cursor | null = { column: 0, after: "" }; cursor !== null; ) {
    const request = { kind: "rotation", subject: "operator", body: cursor } as const;
    const step: Step = await askAsOperator<Step>(target, "/auth/rotate-secrets", request);
    total += step.rewrapped;
    cursor = step.next;
    if (step.report) print(total, step.version, step.report);
  }
}

function print(rewrapped: number, version: number, report: RotationReport): void {
  const { apiKeys, sessions, sessionsExpireAt, usersWithRecoveryCodes } = report;
  console.log(`${rewrapped} stored secrets were encrypted again; all are under key ${version}.`);
  console.log("\nWhen the older keys are removed from MASTER_KEYS, these end:");
  console.log(`- ${apiKeys.length} API keys that were not used since key ${version} was added`);
  for (const key of apiKeys)
    console.log(`    ${key.prefix}…  ${key.name} (${key.workspace}), last used ${day(key.last_used_at)}`);
  const expiry = sessionsExpireAt === null ? "" : `; the last one expires ${day(sessionsExpireAt)}`;
  console.log(`- ${sessions} sessions that were not refreshed since${expiry}`);
  console.log(`- the recovery codes of ${usersWithRecoveryCodes} users`);
  console.log(
    "- tracking and unsubscribe links, and return paths, in emails sent before key " + version + " was added",
  );
  const isSafe = apiKeys.length + sessions + usersWithRecoveryCodes === 0;
  console.log(
    isSafe ? "\nOnly the links in older emails still need the older keys." : "\nRun this command again later.",
  );
}

function day(at: number | null): string {
  return at === null ? "never" : new Date(at).toISOString().slice(0, 10);
}
