import type { Context } from "hono";
import { Hono } from "hono";
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
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, textOf } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
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

const notices: Readonly<Record<string, string>> = {
  added: "The domain is added. Publish its records, then check them.",
  rotated: "New DKIM keys are made. Publish their records; the old keys sign until these are found.",
  setup: "Publish these records. The keys of today sign until they are found.",
  policy: "The policy is set. Receivers see it within an hour.",
  mode: "The MTA-STS policy is changed. Mail systems notice within a day.",
  receives: "Saved. The records below and the zone file follow it.",
  changed: "The next key signs from now on.",
  deleted: "The domain is deleted.",
};

export const domainPages = new Hono<AppEnv>()
  .get("/app/domains", ...pageFor("GET /v1/domains/"), (c) => showList(c, emptyForm()))
  .post("/app/domains", ...pageFor("POST /v1/domains/"), async (c) => {
    const fields = await readForm(c);
    const form = {
      name: fields.get("name") ?? "",
      setup: fields.get("setup") ?? "manual",
      idempotencyKey: fields.get("idempotency_key") ?? "",
    };
    return submitForm(
      c,
      async () => {
        const input = parseFields(DomainIn, { name: form.name.trim(), setup: form.setup });
        const run = onceForForm(c, form.idempotencyKey, `${input.setup} ${input.name}`, (ctx) =>
          registerDomain(ctx, input),
        );
        return `/app/domains/${(await run).id}?done=added`;
      },
      (refusal) => showList(c, form, refusal),
    );
  })
  .get("/app/domains/:domain_id", ...pageFor("GET /v1/domains/:domain_id"), (c) => showDomain(c))
  .get("/app/domains/:domain_id/reports", ...pageFor("GET /v1/domains/:domain_id/reports"), async (c) => {
    const caller = c.get("caller");
    const choice = ReportsQuery.safeParse({ kind: c.req.query("kind"), period: c.req.query("period") });
    const domain = await getDomain(caller, c.req.param("domain_id"));
    // A choice that is not valid shows the usual one.
    const reports = await getReportsOn(caller, domain, choice.data ?? ReportsQuery.parse({}));
    return respondPage(c, <DomainReportsPage caller={caller} domain={domain} reports={reports} />);
  })
  .get("/app/domains/:domain_id/health", ...pageFor("GET /v1/domains/:domain_id/health"), async (c) => {
    const caller = c.get("caller");
    const domain = await getDomain(caller, c.req.param("domain_id"));
    return respondPage(c, <DomainHealthPage caller={caller} domain={domain} health={toHealth(domain)} />);
  })
  .post("/app/domains/:domain_id/health", ...pageFor("POST /v1/domains/:domain_id/verify"), (c) =>
    submitForm(
      c,
      async () => `/app/domains/${(await verifyAndExamine(c.get("caller"), c.req.param("domain_id"))).id}/health`,
      (refusal) => showDomain(c, { refusal }),
    ),
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
    submitForm(
      c,
      async () => {
        const { id } = await verifyAndExamine(c.get("caller"), c.req.param("domain_id"));
        return `/app/domains/${id}?done=checked`;
      },
      (refusal) => showDomain(c, { refusal }),
    ),
  )
  .post("/app/domains/:domain_id/setup", ...pageFor(UPDATE), (c) =>
    submitForm(
      c,
      async () => {
        const fields = await readForm(c);
        const input = parseFields(DomainPatch, { setup: fields.get("setup") ?? "" });
        const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id"), input);
        return `/app/domains/${id}?done=setup`;
      },
      (refusal) => showDomain(c, { refusal }),
    ),
  )
  .get("/app/domains/:domain_id/dmarc", ...pageFor(UPDATE), (c) => showPolicy(c))
  .post("/app/domains/:domain_id/dmarc", ...pageFor(UPDATE), (c) =>
    submitForm(
      c,
      async () => {
        const fields = await readForm(c);
        const input = parseFields(DomainPatch, { dmarc_policy: fields.get("dmarc_policy") ?? "" });
        const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id"), input);
        return `/app/domains/${id}?done=policy`;
      },
      (refusal) => showPolicy(c, refusal),
    ),
  )
  .post("/app/domains/:domain_id/mta-sts", ...pageFor(UPDATE), (c) =>
    submitForm(
      c,
      async () => {
        const fields = await readForm(c);
        const input = parseFields(DomainPatch, { mta_sts: fields.get("mta_sts") ?? "" });
        const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id"), input);
        return `/app/domains/${id}?done=mode`;
      },
      (refusal) => showDomain(c, { refusal }),
    ),
  )
  .post("/app/domains/:domain_id/receives", ...pageFor(UPDATE), (c) =>
    submitForm(
      c,
      async () => {
        const receives = (await readForm(c)).get("receives") === "true";
        const { id } = await updateDomain(c.get("caller"), c.req.param("domain_id"), { receives });
        return `/app/domains/${id}?done=receives`;
      },
      (refusal) => showDomain(c, { refusal }),
    ),
  )
  .get("/app/domains/:domain_id/rotate", ...pageFor(ROTATE), async (c) => {
    const { id, name, setup } = await getDomain(c.get("caller"), c.req.param("domain_id"));
    const isDelegated = setup === "delegated";
    return respondPage(
      c,
      <ConfirmPage
        title={isDelegated ? `Change the DKIM key of ${name} now?` : `Make new DKIM keys for ${name}?`}
        caller={c.get("caller")}
        button={isDelegated ? "Change the key" : "Make new keys"}
        back={`/app/domains/${id}`}
        at="/app/domains"
      >
        {isDelegated
          ? "The next key signs at once. You have nothing to publish. The service does the same every 90 days."
          : "You get two new DNS records to publish. The keys of today sign until the new records are found."}
      </ConfirmPage>,
    );
  })
  .post("/app/domains/:domain_id/rotate", ...pageFor(ROTATE), (c) =>
    submitForm(
      c,
      async () => {
        const { id, setup } = await rotateDkim(c.get("caller"), c.req.param("domain_id"));
        return `/app/domains/${id}?done=${setup === "delegated" ? "changed" : "rotated"}`;
      },
      (refusal) => showDomain(c, { refusal }),
    ),
  )
  .get("/app/domains/:domain_id/delete", ...pageFor(DELETE), async (c) => {
    const { id, name } = await getDomain(c.get("caller"), c.req.param("domain_id"));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${name}?`}
        caller={c.get("caller")}
        button="Delete domain"
        back={`/app/domains/${id}`}
        at="/app/domains"
      >
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
    async (c) => {
      requireSwitchedOn(c.get("ctx"));
      const fields = await readForm(c);
      const transfer = { target_email: fields.get("target_email") ?? "", note: fields.get("note") ?? "" };
      return submitForm(
        c,
        async () => {
          const input = parseFields(TransferIn, { ...transfer, note: textOf(fields, "note") });
          await initiateForDomain(c.get("caller"), c.req.param("domain_id"), input).catch(atItsField);
          return "/app/transfers?done=offered";
        },
        (refusal) => showDomain(c, { refusal, transfer }),
      );
    },
  );

/** Throws the error about an account that does not exist as one of the field, so that the form comes back. */
function atItsField(error: unknown): never {
  if (!(error instanceof AppError) || error.extra.code !== "target_not_found") throw error;
  throw invalidField("target_email", "No account uses this address");
}

const emptyForm = () => ({ name: "", setup: "delegated", idempotencyKey: crypto.randomUUID() });

async function showList(c: Context<AppEnv>, form: ReturnType<typeof emptyForm>, refusal?: Refusal) {
  const caller = c.get("caller");
  const after = c.req.query("after");
  const found = await listDomains(caller, { ...(after ? { after } : {}), offset: 0, limit: PAGE_SIZE + 1 });
  const domains = found.slice(0, PAGE_SIZE).map((row) => toDomain(caller.settings, row));
  const last = found.length > PAGE_SIZE ? domains.at(-1) : undefined;
  const next = last === undefined ? null : `/app/domains?${new URLSearchParams({ after: last.name })}`;
  const notice = refusal ? undefined : notices[c.req.query("done") ?? ""];
  const page = <DomainsPage {...{ caller, domains, next, form, notice, refusal }} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

async function showDomain(
  c: Context<AppEnv>,
  { refusal, transfer }: { refusal?: Refusal; transfer?: { target_email: string; note: string } } = {},
) {
  const caller = c.get("caller");
  const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
  const isAsked = c.req.query("done") === "checked" || c.req.query("found") === "1";
  const found = isAsked ? await findValues(caller, domain.records) : null;
  const done = c.req.query("done") ?? "";
  const notice = refusal ? undefined : done === "checked" ? checkedText(domain) : notices[done];
  const form = transfer ?? { target_email: "", note: "" };
  const page = <DomainPage {...{ caller, domain, found, notice, refusal }} transfer={form} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}

async function showPolicy(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const domain = toDomain(caller.settings, await getDomainWithKeys(caller, c.req.param("domain_id") ?? ""));
  // Its record is the customer's own.
  if (domain.dmarc_policy === null) return c.redirect(`/app/domains/${domain.id}`, 303);
  const summary = await getDmarcSummary(caller, domain);
  return respondPage(c, <DmarcPage {...{ caller, domain, summary, refusal }} />, { status: refusal?.status ?? 200 });
}

/** Returns what a check of the records of a domain found. */
function checkedText({ status, records }: DomainOut): string {
  const required = records.filter((record) => record.required);
  const matching = required.filter((record) => record.status === "verified").length;
  if (matching === required.length)
    return status === "verified" ? "The domain is verified." : "All required records match.";
  return `${matching === 0 ? "None" : matching} of the ${required.length} required records ${matching === 1 ? "matches" : "match"} yet.`;
}
