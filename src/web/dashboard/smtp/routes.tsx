import { listDomains } from "../../../domains/domains/index.ts";
import { inputOf } from "../../../http/form-input.ts";
import { readPage, respondPage } from "../../../http/page.tsx";
import { creation, page, pagesOf, question } from "../../../http/page-actions.tsx";
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

export const smtpPages = pagesOf(
  "credential",
  page("/app/smtp", "GET /v1/smtp-credentials/", async (c) => {
    const caller = c.get("caller");
    const [{ rows, next }, domains] = await Promise.all([
      readPage(c, { path: "/app/smtp", read: listSmtpCredentials, after: ({ id }) => id }),
      listDomains(caller, { offset: 0, limit: MAX_DOMAINS }),
    ]);
    const shown = (
      <SmtpPage
        credentials={rows.map(toSmtpCredential)}
        domains={domains
          .map(({ domain }) => domain)
          .filter(({ status, isSandbox }) => status === "verified" && !isSandbox)}
      />
    );
    return respondPage(c, shown, { next });
  }),
  creation("/app/smtp", "POST /v1/smtp-credentials/", {
    read: inputOf(SmtpCredentialIn),
    run: createSmtpCredential,
    to: (created, c) => respondPage(c, <CreatedSmtpPage created={created} />),
  }),
  question("/app/smtp/:credential_id/deactivate", "DELETE /v1/smtp-credentials/:credential_id", {
    of: getSmtpCredential,
    title: ({ username }) => `Deactivate ${username}?`,
    button: "Deactivate",
    text: "Programs that use it are refused from their next message on. This cannot be undone.",
    run: deactivateSmtpCredential,
    done: { deactivated: "The credential is deactivated." },
  }),
);
