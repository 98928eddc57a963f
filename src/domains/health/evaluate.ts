import { withTimeout } from "../../lib/deadline.ts";
import { type Notice, notifyOwnersStatements } from "../../notices/notifications/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { ConcurrencyError, expectChanges, guardedBatch } from "../../platform/db/batch.ts";
import { type DomainWithKeys, findDomainWithKeys, reportAddress } from "../domains/index.ts";
import { toHost } from "../hosts/index.ts";
import { nameSources } from "../reports/index.ts";
import type { Evidence, ReportEvidence } from "./evidence.ts";
import type { StoredFinding } from "./finding.ts";
import { gatherDns, gatherPolicy } from "./gather-dns.ts";
import { Lookups } from "./lookups.ts";
import { evaluate } from "./merge.ts";
import { findSurroundings, type History, readHistory } from "./queries.ts";
import { readHealth } from "./stored.ts";
import { toHealthDomain } from "./subject.ts";

/**
 * Examines a domain and stores its findings when they have changed (docs/contract/domains.md#health): at most 54 DNS queries and one
 * request for its MTA-STS policy. Notifies the owners of findings that have appeared. `wasVerified`: before the check that
 * this follows; who verifies a domain for the first time sees the findings. Never throws: a check of records does not fail with it.
 */
export async function evaluateHealth(ctx: Ctx, found: DomainWithKeys, wasVerified: boolean): Promise<void> {
  await logged(ctx, found.domain.id, async () => {
    const lookups = new Lookups(ctx);
    const policy = await gatherPolicy(lookups, found.domain.name);
    const subject = toHealthDomain(ctx.settings, found);
    const [dns, shared] = await Promise.all([gatherDns(ctx, lookups, { subject, policy }), gatherShared(ctx, found)]);
    if (shared) await save(ctx, found, { ...shared, policy, dns }, wasVerified);
  });
}

/** Examines what receivers report about a domain, after a report has come. At most 14 DNS queries. Never throws. */
export async function evaluateReports(ctx: Ctx, domainId: string): Promise<void> {
  await logged(ctx, domainId, async () => {
    const found = await findDomainWithKeys(ctx, domainId);
    if (!found) return;
    const policy = await gatherPolicy(new Lookups(ctx), found.domain.name);
    const shared = await gatherShared(ctx, found);
    if (shared) await save(ctx, found, { ...shared, policy, dns: null }, found.domain.status !== "pending");
  });
}

async function logged(ctx: Ctx, domain: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // Lost the compare-and-set to another evaluation, whose findings are as new.
    if (!(error instanceof ConcurrencyError)) ctx.log("domain.health.failed", { domain, error: String(error) });
  }
}

/** Servers whose names are looked up, with two DNS queries each, and the time for them in ms. */
const MAX_NAMED = 3;
const NAMES_MS = 3_000;

/** Gathers all but DNS; null when the workspace was deleted. */
async function gatherShared(ctx: Ctx, found: DomainWithKeys): Promise<Omit<Evidence, "dns" | "policy"> | null> {
  const { domain, hosts } = found;
  const surroundings = await findSurroundings(ctx, domain);
  if (!surroundings) return null;
  const { reports, delivery } = await readHistory(ctx, surroundings, domain.id);
  const { spfDomain, bounceDomain, mxHost } = ctx.settings;
  return {
    now: ctx.now(),
    name: domain.name,
    status: domain.status,
    lastCheckedAt: domain.lastCheckedAt,
    settings: { spfDomain, bounceDomain, mxHost },
    reportAddress: reportAddress(domain.id, bounceDomain),
    receivesHere: domain.receives ?? surroundings.receivesHere,
    delivery,
    hosts: hosts.filter(isNeeded(ctx.now())).map(({ name, purpose, status, problem }) => {
      return { name, purpose, status, problem: toHost(ctx.settings, domain.name, purpose, hosts)?.detail ?? problem };
    }),
    targets: toHealthDomain(ctx.settings, found).targets,
    reports: { ...reports, unaligned: await withNames(ctx, reports.unaligned) },
  };
}

/** Returns whether a host is needed: that of a policy which has ended only while senders may keep one that enforces (RFC 8461 8.3). */
const isNeeded =
  (now: number) =>
  ({ policyMode, policyKeptUntil }: DomainWithKeys["hosts"][number]): boolean =>
    policyMode !== "none" || (policyKeptUntil ?? 0) > now;

async function withNames(ctx: Ctx, sources: History["reports"]["unaligned"]): Promise<ReportEvidence["unaligned"]> {
  const named = sources.slice(0, MAX_NAMED).map(({ source }) => source);
  const names = await withTimeout(NAMES_MS, nameSources(ctx, named)).catch(() => new Map<string, never>());
  return sources.map((one) => ({
    ...one,
    name: names.get(one.source)?.service ?? names.get(one.source)?.host ?? null,
  }));
}

const SAVE = "UPDATE domains SET health = ?2 WHERE id = ?1 AND health IS ?3";

/** Stores the findings if they have changed, with the notification of those that have appeared. */
async function save(ctx: Ctx, { domain }: DomainWithKeys, evidence: Evidence, notifies: boolean): Promise<void> {
  const before = readHealth(domain.health);
  const { stored, appeared } = evaluate(before ?? [], evidence);
  const health = JSON.stringify(stored);
  if (health === domain.health) return;
  // A domain that was verified before there were findings has some since long: only errors are news.
  const news = notifies ? appeared.filter(({ severity }) => before !== null || severity === "error") : [];
  await guardedBatch(ctx.db, [
    ctx.db.prepare(SAVE).bind(domain.id, health, domain.health),
    expectChanges(ctx.db, 1),
    ...(news.length > 0 ? notifyOwnersStatements(ctx, domain.workspace, noticeOf(domain, news)) : []),
  ]);
}

/** Returns one notice about all findings that have appeared. */
function noticeOf({ id, name }: { id: string; name: string }, news: readonly StoredFinding[]): Notice {
  const isError = news.some(({ severity }) => severity === "error");
  const [first] = news;
  return {
    category: "alerts",
    severity: isError ? "error" : "warning",
    href: `/domains/${id}/health`,
    title:
      news.length === 1 ? `A problem with ${name} has appeared` : `${news.length} problems with ${name} have appeared`,
    body: news.length === 1 ? `${first?.problem} ${first?.action}` : news.map(({ problem }) => problem).join("\n"),
  };
}
