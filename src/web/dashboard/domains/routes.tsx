import {
  DomainIn,
  type DomainOut,
  DomainPatch,
  deleteDomain,
  findValues,
  getDomain,
  getDomainWithKeys,
  listDomains,
  recordsToImport,
  registerDomain,
  rotateDkim,
  toDomain,
  toZoneFile,
  updateDomain,
} from "../../../domains/domains/index.ts";
import { toHealth, verifyAndExamine } from "../../../domains/health/index.ts";
import { getDmarcSummary, getReportsOn, ReportsQuery } from "../../../domains/reports/index.ts";
import { download } from "../../../http/download.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { inputOf } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { button, change, creation, deletion, get, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { pageFor, submitForm } from "../../../http/page-routes.ts";
import { minuteLimit } from "../../../http/rate-limit.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";
import { getDeliverability } from "../../../sending/deliverability/index.ts";
import { initiateForDomain, requireSwitchedOn, TransferIn } from "../../../transfers/domain-transfers/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { DeliverabilityPage } from "./deliverability.tsx";
import { DomainPage } from "./detail.tsx";
import { DmarcPage } from "./dmarc.tsx";
import { DomainHealthPage } from "./health.tsx";
import { DomainsPage } from "./list.tsx";
import { DomainReportsPage } from "./reports.tsx";

const UPDATE = "PATCH /v1/domains/:domain_id";

const isDelegated = ({ setup }: { setup: string }) => setup === "delegated";

/** The form that offers a domain to another account, with the limit of the API call. */
const transferOffer = newRoutes().post(
  "/app/domains/:domain_id/transfer",
  ...pageFor("POST /v1/domains/:domain_id/transfer"),
  minuteLimit("transfer-initiations", (settings) => settings.transferInitiationsPerMinute),
  (c) => {
    requireSwitchedOn(c.get("ctx"));
    return submitForm(c, showDomain, async (fields) => {
      const input = inputOf(TransferIn)(fields);
      await initiateForDomain(c.get("caller"), c.req.param("domain_id"), input).catch(atItsField);
      return "/app/transfers?done=offered";
    });
  },
);

/** Reads the name of a domain, also from the address of a page of it, such as `https://shop.example/contact`. */
const readName = (form: URLSearchParams) => {
  const text = (form.get("name") ?? "").trim();
  return /^https?:\/\//i.test(text) ? (URL.parse(text)?.hostname ?? text) : text;
};

const domainChange = { read: inputOf(DomainPatch), run: updateDomain };

export const domainPages = pagesOf(
  "domain",
  page("/app/domains", "GET /v1/domains/", async (c) => {
    const list = { path: "/app/domains", read: listDomains, size: PAGE_SIZE };
    const { rows, next } = await readPage(c, { ...list, after: ({ domain }) => domain.name });
    const domains = rows.map((row) => toDomain(c.get("caller").settings, row));
    return respondPage(c, <DomainsPage domains={domains} />, { next, nextLabel: "More" });
  }),
  creation("/app/domains", "POST /v1/domains/", {
    read: inputOf(DomainIn, { name: readName }),
    run: registerDomain,
    to: "/app/domains/:id",
    done: { added: "The domain is added. Publish its records, then check them." },
  }),
  page("/app/domains/:domain_id", "GET /v1/domains/:domain_id", showDomain),
  page("/app/domains/:domain_id/reports", "GET /v1/domains/:domain_id/reports", async (c) => {
    const caller = c.get("caller");
    const choice = ReportsQuery.safeParse({ kind: c.req.query("kind"), period: c.req.query("period") });
    const domain = await getDomain(caller, c.req.param("domain_id"));
    // A choice that is not valid shows the usual one.
    const reports = await getReportsOn(caller, domain, choice.data ?? ReportsQuery.parse({}));
    return respondPage(c, <DomainReportsPage domain={domain} reports={reports} />);
  }),
  page("/app/domains/:domain_id/deliverability", "GET /v1/analytics/deliverability", async (c) =>
    respondPage(c, <DeliverabilityPage found={await getDeliverability(c.get("caller"), c.req.param("domain_id"))} />),
  ),
  page("/app/domains/:domain_id/health", "GET /v1/domains/:domain_id/health", async (c) => {
    const domain = await getDomain(c.get("caller"), c.req.param("domain_id"));
    return respondPage(c, <DomainHealthPage domain={domain} health={toHealth(domain)} />);
  }),
  button("/app/domains/:domain_id/health", "POST /v1/domains/:domain_id/verify", {
    run: verifyAndExamine,
    show: showDomain,
  }),
  get("/app/domains/:domain_id/zone", "GET /v1/domains/:domain_id", async (c) => {
    const caller = c.get("caller");
    const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id")));
    const file = toZoneFile({ name: domain.name, records: recordsToImport(domain) });
    return c.body(file, 200, download(`${domain.name}.zone.txt`, "text/plain"));
  }),
  button("/app/domains/:domain_id/verify", "POST /v1/domains/:domain_id/verify", {
    run: verifyAndExamine,
    to: "/app/domains/:domain_id?done=checked",
  }),
  change("/app/domains/:domain_id/setup", UPDATE, {
    ...domainChange,
    done: { setup: "Publish these records. The keys of today sign until they are found." },
  }),
  page("/app/domains/:domain_id/dmarc", UPDATE, async (c) => {
    const caller = c.get("caller");
    const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
    // Its record is the customer's own.
    if (domain.dmarc_policy === null) return c.redirect(`/app/domains/${domain.id}`, 303);
    const summary = await getDmarcSummary(caller, domain);
    return respondPage(c, <DmarcPage domain={domain} summary={summary} />);
  }),
  change("/app/domains/:domain_id/dmarc", UPDATE, {
    ...domainChange,
    to: "/app/domains/:domain_id",
    done: { policy: "The policy is set. Receivers see it within an hour." },
  }),
  change("/app/domains/:domain_id/mta-sts", UPDATE, {
    ...domainChange,
    done: { mode: "The MTA-STS policy is changed. Mail systems notice within a day." },
  }),
  change("/app/domains/:domain_id/receives", UPDATE, {
    ...domainChange,
    done: { receives: "Saved. The records below and the zone file follow it." },
  }),
  question("/app/domains/:domain_id/rotate", "POST /v1/domains/:domain_id/dkim/rotate", {
    of: getDomain,
    title: (domain) =>
      isDelegated(domain) ? `Change the DKIM key of ${domain.name} now?` : `Make new DKIM keys for ${domain.name}?`,
    button: (domain) => (isDelegated(domain) ? "Change the key" : "Make new keys"),
    text: (domain) =>
      isDelegated(domain)
        ? "The next key signs at once. You have nothing to publish. The service does the same every 90 days."
        : "You get two new DNS records to publish. The keys of today sign until the new records are found.",
    run: rotateDkim,
    to: (domain) => `/app/domains/${domain.id}?done=${isDelegated(domain) ? "changed" : "rotated"}`,
    done: {
      changed: "The next key signs from now on.",
      rotated: "New DKIM keys are made. Publish their records; the old keys sign until these are found.",
    },
  }),
  deletion("/app/domains/:domain_id/delete", "DELETE /v1/domains/:domain_id", {
    of: getDomain,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its mailboxes and all mail in them are deleted, and its waiting emails are not sent. This cannot be undone.",
    // The question said that its mailboxes go too.
    run: (caller, id) => deleteDomain(caller, id, { deleteMailboxes: true }),
  }),
  transferOffer,
);

/** Throws the error about an account that does not exist as one of the field, so that the form comes back. */
function atItsField(error: unknown): never {
  if (!(error instanceof AppError) || error.extra.code !== "target_not_found") throw error;
  throw invalidField("target_email", "No account uses this address");
}

async function showDomain(c: AppContext) {
  const caller = c.get("caller");
  const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
  const isChecked = c.req.query("done") === "checked";
  const found = isChecked || c.req.query("found") === "1" ? await findValues(caller, domain.records) : null;
  const notice = isChecked ? checkedText(domain) : undefined;
  return respondPage(c, <DomainPage domain={domain} found={found} />, { notice });
}

function checkedText({ status, records }: DomainOut): string {
  const required = records.filter((record) => record.required);
  const matching = required.filter((record) => record.status === "verified").length;
  if (matching === required.length)
    return status === "verified" ? "The domain is verified." : "All required records match.";
  return `${matching === 0 ? "None" : matching} of the ${required.length} required records ${matching === 1 ? "matches" : "match"} yet.`;
}
