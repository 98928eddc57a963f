import type { Context } from "hono";
import { Hono } from "hono";
import { listDomains } from "../../../domains/domains/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import {
  createSmtpCredential,
  deactivateSmtpCredential,
  getSmtpCredential,
  listSmtpCredentials,
  SmtpCredentialIn,
  toSmtpCredential,
} from "../../../sending/smtp-credentials/index.ts";
import { CreatedSmtpPage, SmtpPage } from "./page.tsx";

const PAGE_SIZE = 100;
/** Most domains in the choice of the form. */
const MAX_DOMAINS = 200;
const DEACTIVATE = "DELETE /v1/smtp-credentials/:credential_id";

export const smtpPages = new Hono<AppEnv>()
  .get("/app/smtp", ...pageFor("GET /v1/smtp-credentials/"), (c) => showList(c))
  .post("/app/smtp", ...pageFor("POST /v1/smtp-credentials/"), async (c) => {
    const form = await readForm(c);
    const caller = c.get("caller");
    return submitForm(
      c,
      async () => {
        const input = parseFields(SmtpCredentialIn, { domain_id: form.get("domain_id") ?? "" });
        const key = form.get("idempotency_key") ?? "";
        const created = await onceForForm(c, key, input.domain_id, (ctx) => createSmtpCredential(ctx, input));
        return respondPage(c, <CreatedSmtpPage caller={caller} created={created} />);
      },
      (refusal) => showList(c, refusal),
    );
  })
  .get("/app/smtp/:credential_id/deactivate", ...pageFor(DEACTIVATE), async (c) => {
    const caller = c.get("caller");
    const { username } = await getSmtpCredential(caller, c.req.param("credential_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Deactivate ${username}?`} caller={caller} button="Deactivate" back="/app/smtp">
        Programs that use it are refused from their next message on. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/smtp/:credential_id/deactivate", ...pageFor(DEACTIVATE), async (c) => {
    await deactivateSmtpCredential(c.get("caller"), c.req.param("credential_id"));
    return c.redirect("/app/smtp?done=deactivated", 303);
  });

async function showList(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const after = c.req.query("after")?.toLowerCase();
  const [found, domains] = await Promise.all([
    listSmtpCredentials(caller, { ...(after ? { after } : {}), offset: 0, limit: PAGE_SIZE + 1 }),
    listDomains(caller, { offset: 0, limit: MAX_DOMAINS }),
  ]);
  const shown = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const page = (
    <SmtpPage
      caller={caller}
      credentials={shown.map(toSmtpCredential)}
      domains={domains
        .map(({ domain }) => domain)
        .filter(({ status, isSandbox }) => status === "verified" && !isSandbox)}
      idempotencyKey={crypto.randomUUID()}
      next={last === undefined ? null : `/app/smtp?${new URLSearchParams({ after: last.id })}`}
      notice={!refusal && c.req.query("done") === "deactivated" ? "The credential is deactivated." : undefined}
      refusal={refusal}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
