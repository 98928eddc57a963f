import { DAY_MS, HOUR_MS } from "../../lib/time.ts";
import type { Evidence } from "./evidence.ts";
import { type CheckResult, found, UNKNOWN } from "./finding.ts";

/** Time since the last answer: the daily check, and those that follow each hour when there is none. */
const SILENT_MS = DAY_MS + 6 * HOUR_MS;

/** Finds a domain whose name servers do not respond, or whose DNSSEC is broken: its other findings cannot change then. */
export function checkSilence({ dns, name, now, status, lastCheckedAt }: Evidence): CheckResult {
  if (!dns) return UNKNOWN;
  if (!dns.isSilent) return { findings: [] };
  if (status !== "verified" || lastCheckedAt === null || lastCheckedAt > now - SILENT_MS) return UNKNOWN;
  const since = new Date(lastCheckedAt).toISOString().slice(0, 16).replace("T", " ");
  const asked = dns.dkim.map(({ name: at, response }) => `${at}: ${response.status === "ok" ? "" : response.reason}`);
  const problem = `DNS has given no answer about ${name} since ${since} UTC. Receivers cannot check its signatures, and its mail may be refused.`;
  const action = `Check that the registration of ${name} has not expired, that its name servers respond, and that the DS record at the registrar fits the DNSSEC keys of the zone; without DNSSEC delete the DS record.`;
  return found("dns_silent", { problem, action, evidence: asked });
}
