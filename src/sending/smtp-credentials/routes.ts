import * as z from "zod";
import { apiRoutes, outlives } from "../../http/api-routes.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { createSmtpCredential } from "./create.ts";
import { deactivateSmtpCredential } from "./deactivate.ts";
import { listSmtpCredentials } from "./queries.ts";
import { NewSmtpCredentialOut, SmtpCredentialIn, SmtpCredentialOut, toSmtpCredential } from "./schema.ts";

const ListQuery = z.object(pageOrCursorQuery).superRefine(refuseDeepPages);

export const smtpCredentialRoutes = apiRoutes("SMTP credentials")
  .post("/v1/smtp-credentials/", "createSmtpCredential", "smtp:manage", outlives.credential, {
    summary: "Create the SMTP credential of a domain",
    description:
      "The credential sends from the mailboxes of its domain, as the calling user. A domain has at most one active " +
      "credential. Connect to `smtp_host` and `smtp_port` with STARTTLS.",
    body: SmtpCredentialIn,
    returns: { 201: ["The SMTP credential. `password` is shown in this response only", NewSmtpCredentialOut] },
    errors: [400, 404],
    run: (caller, { body }) => createSmtpCredential(caller, body),
  })
  .get("/v1/smtp-credentials/", "listSmtpCredentials", "smtp:view", {
    summary: "List SMTP credentials, newest first",
    query: ListQuery,
    reads: outlives.credential,
    returns: {
      200: ["A page of SMTP credentials, inactive ones included, without passwords", z.array(SmtpCredentialOut)],
    },
    run: (_caller, { query }, c) =>
      respondList(c, query, { read: listSmtpCredentials, after: ({ id }) => id, serialize: toSmtpCredential }),
  })
  .delete("/v1/smtp-credentials/:credential_id", "revokeSmtpCredential", "smtp:manage", outlives.nothing, {
    summary: "Deactivate an SMTP credential",
    description:
      "Cannot be undone. Open connections are refused at their next MAIL FROM or message. The response takes half a second.",
    returns: { 204: "Deactivated" },
    run: (caller, { credential_id }) => deactivateSmtpCredential(caller, credential_id),
  });
