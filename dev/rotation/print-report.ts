import type { RotationReport } from "../../src/operations/secret-rotation/report.ts";

/** Prints how many secrets were encrypted again, and what ends without the older keys. Returns whether no credential does. */
export function printReport(rewrapped: number, version: number, report: RotationReport): boolean {
  const { apiKeys, sessions, sessionsExpireAt, usersWithRecoveryCodes, appPasswords } = report;
  console.log(`${rewrapped} stored secrets were encrypted again; all are under key ${version}.`);
  console.log("\nWhen the older keys are removed from MASTER_KEYS, these end:");
  console.log(`- ${apiKeys.length} API keys that were not used since key ${version} is in use`);
  for (const key of apiKeys)
    console.log(`    ${key.prefix}…  ${key.name} (${key.workspace}), last used ${day(key.last_used_at)}`);
  const expiry = sessionsExpireAt === null ? "" : `; the last one expires ${day(sessionsExpireAt)}`;
  console.log(`- ${sessions} sessions that were not refreshed since${expiry}`);
  console.log(`- the recovery codes of ${usersWithRecoveryCodes} users`);
  console.log(`- ${appPasswords} app passwords of mailboxes that were not used since`);
  console.log(`- tracking and unsubscribe links, and return paths, in emails sent before key ${version} was used`);
  const isSafe = apiKeys.length + sessions + usersWithRecoveryCodes + appPasswords === 0;
  console.log(
    isSafe ? "\nOnly the links in older emails still need the older keys." : "\nRun this command again later.",
  );
  return isSafe;
}

function day(at: number | null): string {
  return at === null ? "never" : new Date(at).toISOString().slice(0, 10);
}
