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
import { readPage, respondPage } from "../../../http/page.tsx";
import { attempt, onceForForm, pageFor, parseFields, submitForm, textOf } from "../../../http/page-routes.ts";
import { minuteLimit } from "../../../http/rate-limit.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { AppError, invalidField } from "../../../lib/errors.ts";
import { initiateForDomain, requireSwitchedOn, TransferIn } from "../../../transfers/domain-transfers/index.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { DomainPage } from "./detail.tsx";
import { DmarcPage } from "./dmarc.tsx";
import { DomainHealthPage } from "./health.tsx";
import { DomainsPage } from "./list.tsx";
import { DomainReportsPage } from "./reports.tsx";

const ROTATE = "POST /v1/domains/:domain_id/dkim/rotate";
const UPDATE = "PATCH /v1/domains/:domain_id";
const DELETE = "DELETE /v1/domains/:domain_id";

/** The limit of the API call, counted with its calls. */
const initiationLimit = minuteLimit("transfer-initiations", (settings) => settings.transferInitiationsPerMinute);

const notices = {
  added: "The domain is added. Publish its records, then check them.",
  rotated: "New DKIM keys are made. Publish their records; the old keys sign until these are found.",
  setup: "Publish these records. The keys of today sign until they are found.",
  policy: "The policy is set. Receivers see it within an hour.",
  mode: "The MTA-STS policy is changed. Mail systems notice within a day.",
  receives: "Saved. The records below and the zone file follow it.",
  changed: "The next key signs from now on.",
  deleted: "The domain is deleted.",
};

export const domainPages = newRoutes()
  .get("/app/domains", ...pageFor("GET /v1/domains/"), showList)
  .post("/app/domains", ...pageFor("POST /v1/domains/"), (c) =>
    submitForm(c, showList, async (fields) => {
      const name = fields.get("name")?.trim() ?? "";
      const input = parseFields(DomainIn, { name, setup: fields.get("setup") ?? "manual" });
      const { id } = await onceForForm(c, (ctx) => registerDomain(ctx, input));
      return `/app/domains/${id}?done=added`;
    }),
  )
  .get("/app/domains/:domain_id", ...pageFor("GET /v1/domains/:domain_id"), showDomain)
  .get("/app/domains/:domain_id/reports", ...pageFor("GET /v1/domains/:domain_id/reports"), async (c) => {
    const caller = c.get("caller");
    const choice = ReportsQuery.safeParse({ kind: c.req.query("kind"), period: c.req.query("period") });
    const domain = await getDomain(caller, c.req.param("domain_id"));
    // A choice that is not valid shows the usual one.
    const reports = await getReportsOn(caller, domain, choice.data ?? ReportsQuery.parse({}));
    return respondPage(c, <DomainReportsPage domain={domain} reports={reports} />);
  })
  .get("/app/domains/:domain_id/health", ...pageFor("GET /v1/domains/:domain_id/health"), async (c) => {
    const caller = c.get("caller");
    const domain = await getDomain(caller, c.req.param("domain_id"));
    return respondPage(c, <DomainHealthPage domain={domain} health={toHealth(domain)} />);
  })
  .post("/app/domains/:domain_id/health", ...pageFor("POST /v1/domains/:domain_id/verify"), (c) =>
    attempt(c, showDomain, async () => {
      const { id } = await verifyAndExamine(c.get("caller"), c.req.param("domain_id"));
      return `/app/domains/${id}/health`;
    }),
  )
  .get("/app/domains/:domain_id/zone", ...pageFor("GET /v1/domains/:domain_id"), async (c) => {
    const caller = c.get("caller");
    const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id")));
    return c.body(
      toZoneFile({ name: domain.name, records: recordsToImport(domain) }),
      200,
      download(`${domain.name}.zone.txt`, "text/plain"),
    );
  })
  .post("/app/domains/:domain_id/verify", ...pageFor("POST /v1/domains/:domain_id/verify"), (c) =>
    attempt(c, showDomain, async () => {
      const { id } = await verifyAndExamine(c.get("caller"), c.req.param("domain_id"));
      return `/app/domains/${id}?done=checked`;
    }),
  )
  .post("/app/domains/:domain_id/setup", ...pageFor(UPDATE), (c) => change(c, "setup", "setup"))
  .get("/app/domains/:domain_id/dmarc", ...pageFor(UPDATE), showPolicy)
  .post("/app/domains/:domain_id/dmarc", ...pageFor(UPDATE), (c) => change(c, "policy", "dmarc_policy", showPolicy))
  .post("/app/domains/:domain_id/mta-sts", ...pageFor(UPDATE), (c) => change(c, "mode", "mta_sts"))
  .post("/app/domains/:domain_id/receives", ...pageFor(UPDATE), (c) =>
    submitForm(c, showDomain, async (fields) => {
      const receives = fields.get("receives") === "true";
      const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id"), { receives });
      return `/app/domains/${id}?done=receives`;
    }),
  )
  .get("/app/domains/:domain_id/rotate", ...pageFor(ROTATE), async (c) => {
    const { id, name, setup } = await getDomain(c.get("caller"), c.req.param("domain_id"));
    const isDelegated = setup === "delegated";
    return respondPage(
      c,
      <ConfirmPage
        title={isDelegated ? `Change the DKIM key of ${name} now?` : `Make new DKIM keys for ${name}?`}
        button={isDelegated ? "Change the key" : "Make new keys"}
        back={`/app/domains/${id}`}
      >
        {isDelegated
          ? "The next key signs at once. You have nothing to publish. The service does the same every 90 days."
          : "You get two new DNS records to publish. The keys of today sign until the new records are found."}
      </ConfirmPage>,
    );
  })
  .post("/app/domains/:domain_id/rotate", ...pageFor(ROTATE), (c) =>
    attempt(c, showDomain, async () => {
      const { id, setup } = await rotateDkim(c.get("caller"), c.req.param("domain_id"));
      return `/app/domains/${id}?done=${setup === "delegated" ? "changed" : "rotated"}`;
    }),
  )
  .get("/app/domains/:domain_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, name } = await getDomain(c.get("caller"), c.req.param("domain_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete domain" back={`/app/domains/${id}`}>
        Its mailboxes and all mail in them are deleted, and its waiting emails are not sent. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/domains/:domain_id/delete", ...pageFor(DELETE), async (c) => {
    // The page before said that its mailboxes go too.
    await deleteDomain(c.get("caller"), c.req.param("domain_id"), { deleteMailboxes: true });
    return c.redirect("/app/domains?done=deleted", 303);
  })
  .post(
    "/app/domains/:domain_id/transfer",
    ...pageFor("POST /v1/domains/:domain_id/transfer"),
    initiationLimit,
    (c) => {
      requireSwitchedOn(c.get("ctx"));
      return submitForm(c, showDomain, async (fields) => {
        const [target_email, note] = [fields.get("target_email") ?? "", textOf(fields, "note")];
        const input = parseFields(TransferIn, { target_email, note });
        await initiateForDomain(c.get("caller"), c.req.param("domain_id"), input).catch(atItsField);
        return "/app/transfers?done=offered";
      });
    },
  );

/** Changes one field of a domain as the form has it, and leads back to its page. */
const change = (
  c: AppContext,
  done: keyof typeof notices,
  name: keyof DomainPatch,
  show: (c: AppContext) => Promise<Response> = showDomain,
) =>
  submitForm(c, show, async (fields) => {
    const input = parseFields(DomainPatch, { [name]: fields.get(name) ?? "" });
    const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id") ?? "", input);
    return `/app/domains/${id}?done=${done}`;
  });

/** Throws the error about an account that does not exist as one of the field, so that the form comes back. */
function atItsField(error: unknown): never {
  if (!(error instanceof AppError) || error.extra.code !== "target_not_found") throw error;
  throw invalidField("target_email", "No account uses this address");
}

async function showList(c: AppContext) {
  const list = { path: "/app/domains", read: listDomains, size: PAGE_SIZE };
  const { rows, next } = await readPage(c, { ...list, after: ({ domain }) => domain.name });
  const domains = rows.map((row) => toDomain(c.get("caller").settings, row));
  return respondPage(c, <DomainsPage domains={domains} />, { notices, next, nextLabel: "More" });
}

async function showDomain(c: AppContext) {
  const caller = c.get("caller");
  const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
  const isChecked = c.req.query("done") === "checked";
  const found = isChecked || c.req.query("found") === "1" ? await findValues(caller, domain.records) : null;
  const notice = isChecked ? checkedText(domain) : undefined;
  return respondPage(c, <DomainPage domain={domain} found={found} />, { notice, notices });
}

async function showPolicy(c: AppContext) {
  const caller = c.get("caller");
  const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
  // Its record is the customer's own.
  if (domain.dmarc_policy === null) return c.redirect(`/app/domains/${domain.id}`, 303);
  const summary = await getDmarcSummary(caller, domain);
  return respondPage(c, <DmarcPage domain={domain} summary={summary} />);
}

/** Returns what a check of the records of a domain found. */
function checkedText({ status, records }: DomainOut): string {
  const required = records.filter((record) => record.required);
  const matching = required.filter((record) => record.status === "verified").length;
  if (matching === required.length)
    return status === "verified" ? "The domain is verified." : "All required records match.";
  return `${matching === 0 ? "None" : matching} of the ${required.length} required records ${matching === 1 ? "matches" : "match"} yet.`;
}
