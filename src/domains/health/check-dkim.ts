import { DAY_MS } from "../../lib/time.ts";
import { parseTags, TAG_NAME, tagNames } from "../../mail/dkim/tag-list.ts";
import type { DkimEvidence, Evidence } from "./evidence.ts";
import {
  type CheckResult,
  charactersOf,
  type Finding,
  finding,
  found,
  listOf,
  missingAction,
  UNKNOWN,
  valuesOf,
} from "./finding.ts";

/** Days that the records of new keys may be missing beside active ones, and the age at which a key is old. */
const ROTATION_DAYS = 7;
const OLD_KEY_DAYS = 365;
/** Bytes of one string of a TXT record (RFC 1035 3.3). */
const STRING_BYTES = 255;

/** Finds DKIM records that are missing or wrong, one finding for each selector. */
export function checkDkim({ dns, name, now }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  const hasActive = dns.dkim.some(({ state }) => state === "active");
  const required = dns.dkim.filter(({ state }) => state === (hasActive ? "active" : "pending"));
  const pending = hasActive ? dns.dkim.filter(({ state }) => state === "pending") : [];
  const unknown = [...required, ...pending].filter(({ response }) => response.status === "temperror");
  return {
    findings: [
      ...required.flatMap((key) => findingOf(key, { domain: name, others: dns.dkim }) ?? []),
      ...checkRotation(pending, dns.dkim, now),
    ],
    unknown: unknown.length === 0 ? [] : [...unknown.map(({ selector }) => selector), ""],
  };
}

/** Finds keys of the customer's own records that have signed for more than a year. */
export function checkKeyAge({ dns, now }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  const old = dns.dkim.filter(({ activatedAt }) => activatedAt !== null && activatedAt < now - OLD_KEY_DAYS * DAY_MS);
  if (old.length === 0 || dns.dkim.some(({ state }) => state === "pending")) return { findings: [] };
  const days = Math.floor((now - Math.min(...old.map(({ activatedAt }) => activatedAt ?? now))) / DAY_MS);
  const problem = `The DKIM keys of the domain have signed for ${days} days. A stolen key works until it is changed, so change it each year.`;
  const action =
    "Rotate the DKIM keys on the page of the domain and publish the new records; the old keys sign until then.";
  const evidence = old.map(
    ({ selector, activatedAt }) => `${selector}: signs since ${new Date(activatedAt ?? 0).toISOString().slice(0, 10)}`,
  );
  return found("dkim_key_old", { problem, action, evidence });
}

function checkRotation(pending: readonly DkimEvidence[], keys: readonly DkimEvidence[], now: number): Finding[] {
  const isDelegated = keys.some(({ state, alias }) => state === "active" && typeof alias === "string");
  const broken = pending.filter((key) => isBroken(key, isDelegated));
  if (broken.length > 0) return [brokenAliases(broken)];
  const waiting = pending.filter(
    ({ response, expected, createdAt }) =>
      response.status === "ok" &&
      createdAt < now - ROTATION_DAYS * DAY_MS &&
      !response.values.some((value) => keyOf(value) === keyOf(expected)),
  );
  if (waiting.length === 0) return [];
  const problem = `New DKIM keys wait for their records since ${new Date(waiting[0]?.createdAt ?? 0).toISOString().slice(0, 10)}. The old keys still sign.`;
  const action = waiting
    .map(({ name, expected, alias }) =>
      alias
        ? `Publish the CNAME ${name} to ${alias}.`
        : `Publish the TXT record at ${name} with the value "${expected}".`,
    )
    .join(" ");
  const evidence = waiting.flatMap(({ name, response }) => valuesOf(name, response));
  return [finding("dkim_rotation_waiting", { problem, action, evidence })];
}

/**
 * Returns whether the CNAME of a key that does not sign yet leads elsewhere, or has gone from a domain whose other CNAME is in use. The
 * value behind it proves nothing: resolvers may have the key before from a cache.
 */
function isBroken({ alias, response }: DkimEvidence, isDelegated: boolean): boolean {
  if (typeof alias !== "string" || response.status !== "ok") return false;
  const { values, aliases = [] } = response;
  if (aliases.length > 0 || values.length > 0) return !aliases.includes(alias);
  return isDelegated;
}

/** Finds CNAMEs that are wrong before their key signs: at once, since the keys cannot change before they are right. */
function brokenAliases(keys: readonly DkimEvidence[]): Finding {
  const found = keys.map(({ name, response }) => {
    const [alias] = response.status === "ok" ? (response.aliases ?? []) : [];
    if (alias !== undefined) return `The CNAME ${name} leads to ${alias}`;
    return response.status === "ok" && response.values.length > 0
      ? `${name} has other records in place of a CNAME`
      : `The CNAME ${name} is missing`;
  });
  const problem = `${found.join(". ")}. Its key is the next one to sign: the key of today signs on, and cannot be changed before this is mended.`;
  const action = keys
    .map(({ name, alias }) => `Publish a CNAME at ${name} with the value "${alias}", as the only record of its name.`)
    .join(" ");
  const evidence = keys.flatMap(({ name, response }) => [
    ...(response.status === "ok" ? (response.aliases ?? []).map((alias) => `${name}: CNAME ${alias}`) : []),
    ...valuesOf(name, response),
  ]);
  return finding("dkim_rotation_waiting", { problem, action, evidence });
}

interface Surroundings {
  domain: string;
  others: readonly DkimEvidence[];
}

/** Returns what is wrong with the record of a key that signs, or null. */
function findingOf(key: DkimEvidence, { domain, others }: Surroundings): Finding | null {
  const { selector: subject, name, expected, response, doubled } = key;
  if (response.status === "temperror") return null;
  const values = response.values.filter((value) => value.trim() !== "");
  const evidence = valuesOf(name, response);
  const publish = `Replace it by a TXT record with the whole value "${expected}". Its DNS provider splits it into strings of ${STRING_BYTES} bytes, or the zone file of the domain's page has it split.`;
  if (key.alias) return aliasFinding(key, { alias: key.alias, evidence, others });
  const [value, ...more] = values;
  const [alias] = response.aliases ?? [];
  if (value === undefined && alias !== undefined) {
    const problem = `${name} is an alias (CNAME) of ${alias}, where there is no DKIM key, so receivers cannot check the signatures of the domain's mail.`;
    const action = `Delete the CNAME at ${name}, then publish a TXT record there with the value "${expected}".`;
    return finding("dkim_missing", { subject, problem, action, evidence: [`${name}: CNAME ${alias}`] });
  }
  if (value === undefined) {
    const problem = `There is no DKIM record at ${name}, so receivers cannot check the signatures of the domain's mail.`;
    const action = missingAction({ type: "TXT", at: name, value: expected, doubled, domain });
    return finding("dkim_missing", { subject, problem, action, evidence });
  }
  if (more.length > 0) {
    const problem = `There are ${values.length} TXT records at ${name}; receivers may take any of them as the key.`;
    const action = values.some((one) => one.trim() === expected)
      ? `Delete the other records at ${name} and keep "${expected}".`
      : `Delete all of them and publish one TXT record with the value "${expected}".`;
    return finding("dkim_several", { subject, problem, action, evidence });
  }
  return keyFinding(key, value, { evidence, publish, others }) ?? tagFinding(key, value, evidence);
}

/** Finds a CNAME of a delegated domain that does not lead to the key. */
function aliasFinding(
  { selector, name, expected, response }: DkimEvidence,
  { alias, evidence, others }: { alias: string; evidence: string[]; others: readonly DkimEvidence[] },
): Finding | null {
  if (response.status === "temperror") return null;
  const isRight = response.values.length > 0 && response.values.every((value) => keyOf(value) === keyOf(expected));
  if (isRight) return null;
  const action = `Publish a CNAME at ${name} with the value "${alias}", as the only record of its name.`;
  const seen = keyOf(response.values[0] ?? "");
  const other = others.find((one) => one.selector !== selector && keyOf(one.expected) === seen);
  if (other) {
    const problem = `${name} has the DKIM key of the selector ${other.selector}, so receivers cannot check the signatures of this one.`;
    return finding("dkim_other_key", { subject: selector, problem, action, evidence });
  }
  const problem = `${name} does not lead to the DKIM key of the domain, so receivers cannot check the signatures of its mail.`;
  return finding("dkim_missing", { subject: selector, problem, action, evidence });
}

function keyFinding(
  { selector: subject, name, expected }: DkimEvidence,
  value: string,
  { evidence, publish, others }: { evidence: string[]; publish: string; others: readonly DkimEvidence[] },
): Finding | null {
  const [key, whole] = [keyOf(value), keyOf(expected)];
  if (key === whole) return null;
  if (key === "") {
    const problem = `The DKIM record at ${name} has an empty key (p=), which revokes it: receivers refuse the signatures.`;
    const action = `Publish the value "${expected}" again, or rotate the keys if the key was revoked on purpose.`;
    return finding("dkim_revoked", { subject, problem, action, evidence });
  }
  const clean = keyOf(value.replace(/[^!#-[\]-~]/g, ""));
  if (clean === whole) {
    const problem = `The DKIM record at ${name} has quotes, backslashes or other characters inside of its value${charactersOf(value)}, so receivers cannot read the key.`;
    const action = `Enter the value without quotes, by a copy from here: "${expected}".`;
    return finding("dkim_damaged", { subject, problem, action, evidence });
  }
  const seen = clean ?? "";
  if (seen !== "" && whole?.startsWith(seen)) {
    const problem = `The DKIM record at ${name} ends after ${value.length} of ${expected.length} bytes, so receivers cannot read the key.`;
    return finding("dkim_cut", { subject, problem, action: publish, evidence });
  }
  const other = others.find((one) => one.selector !== subject && keyOf(one.expected) === seen);
  if (other) {
    const problem = `The DKIM record at ${name} has the key of the selector ${other.selector}.`;
    const action = `The values are mixed up: publish "${expected}" at ${name}.`;
    return finding("dkim_other_key", { subject, problem, action, evidence });
  }
  if (seen.length > 40 && whole !== null && (whole.endsWith(seen.slice(-40)) || whole.startsWith(seen.slice(0, 40)))) {
    const problem = `The DKIM record at ${name} has a damaged key: a part of it is missing, doubled or in the wrong order.`;
    return finding("dkim_damaged", { subject, problem, action: publish, evidence });
  }
  const problem =
    key === null
      ? `The record at ${name} is no DKIM key.`
      : `The DKIM record at ${name} has another key than the one that signs.`;
  const action = `Change the TXT record at ${name} to the value "${expected}".`;
  return finding("dkim_other_key", { subject, problem, action, evidence });
}

/** Returns what the other tags of a record with the right key exclude (RFC 6376 3.6.1). */
function tagFinding({ selector: subject, name, expected }: DkimEvidence, value: string, evidence: string[]) {
  const tags = parseTags(value);
  const right = parseTags(expected);
  const words = (tag: string) => (tags.get(tag) ?? "").split(":").filter((word) => word !== "");
  const names = tagNames(value);
  const [misnamed] = names.filter((tag) => !TAG_NAME.test(tag));
  const wrong = [
    ...(misnamed === undefined ? [] : [`"${misnamed.slice(0, 60)}"${charactersOf(misnamed)} is no name of a tag`]),
    ...((tags.get("v") ?? "DKIM1") === "DKIM1" ? [] : [`v=${tags.get("v")} is not DKIM1`]),
    ...(names.indexOf("v") > 0 ? ["v=DKIM1 is not the first tag"] : []),
    ...(new Set(names).size < names.length ? ["a tag stands twice"] : []),
    ...((tags.get("k") ?? "rsa") === right.get("k") ? [] : [`k=${tags.get("k") ?? "rsa"} is not ${right.get("k")}`]),
    ...(words("h").length === 0 || words("h").includes("sha256") ? [] : [`h=${tags.get("h")} excludes sha256`]),
    ...(words("s").length === 0 || words("s").some((word) => word === "*" || word === "email")
      ? []
      : [`s=${tags.get("s")} excludes email`]),
  ];
  if (wrong.length > 0) {
    const problem = `In the DKIM record at ${name} ${listOf(wrong)}, so receivers ignore the key.`;
    return finding("dkim_tags", { subject, problem, action: `Change the record to "${expected}".`, evidence });
  }
  if (!words("t").includes("y")) return null;
  const problem = `The DKIM record at ${name} has t=y, which says that the domain only tests DKIM: receivers may treat its mail as unsigned.`;
  const action = `Remove "t=y" from the record: "${expected}".`;
  return finding("dkim_testing", { subject, problem, action, evidence });
}

/** Returns the public key of a record, or null when it has none. */
const keyOf = (text: string): string | null => parseTags(text).get("p") ?? null;
