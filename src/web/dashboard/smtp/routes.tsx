import { listDomains } from "../../../domains/domains/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { onceForForm, pageFor, parseFields, submitForm } from "../../../http/page-routes.ts";
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

/** Most domains in the choice of the form. */
const MAX_DOMAINS = 200;
const DEACTIVATE = "DELETE /v1/smtp-credentials/:credential_id";

export const smtpPages = newRoutes()
  .get("/app/smtp", ...pageFor("GET /v1/smtp-credentials/"), showList)
  .post("/app/smtp", ...pageFor("POST /v1/smtp-credentials/"), (c) =>
    submitForm(c, showList, async (fields) => {
      const input = parseFields(SmtpCredentialIn, { domain_id: fields.get("domain_id") ?? "" });
      const created = await onceForForm(c, (ctx) => createSmtpCredential(ctx, input));
      return respondPage(c, <CreatedSmtpPage created={created} />);
    }),
  )
  .get("/app/smtp/:credential_id/deactivate", ...pageFor(DEACTIVATE), async (c) => {
    const { username } = await getSmtpCredential(c.get("caller"), c.req.param("credential_id"));
    return respondPage(
      c,
      <ConfirmPage title={`Deactivate ${username}?`} button="Deactivate" back="/app/smtp">
        Programs that use it are refused from their next message on. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/smtp/:credential_id/deactivate", ...pageFor(DEACTIVATE), async (c) => {
    await deactivateSmtpCredential(c.get("caller"), c.req.param("credential_id"));
    return c.redirect("/app/smtp?done=deactivated", 303);
  });

async function showList(c: AppContext) {
  const caller = c.get("caller");
  const [{ rows, next }, domains] = await Promise.all([
    readPage(c, { path: "/app/smtp", read: listSmtpCredentials, after: ({ id }) => id }),
    listDomains(caller, { offset: 0, limit: MAX_DOMAINS }),
  ]);
  const page = (
    <SmtpPage
      credentials={rows.map(toSmtpCredential)}
      domains={domains
        .map(({ domain }) => domain)
        .filter(({ status, isSandbox }) => status === "verified" && !isSandbox)}
    />
  );
  return respondPage(c, page, { notices: { deactivated: "The credential is deactivated." }, next });
}
