import * as z from "zod";
import { newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noContent } from "../../http/no-content.ts";
import { operationsOf, responses } from "../../http/openapi.ts";
import { pageOrCursorQuery, refuseDeepPages, respondList } from "../../http/pagination.ts";
import { body, query } from "../../http/validate.ts";
import { createSmtpCredential } from "./create.ts";
import { deactivateSmtpCredential } from "./deactivate.ts";
import { listSmtpCredentials } from "./queries.ts";
import { NewSmtpCredentialOut, SmtpCredentialIn, SmtpCredentialOut, toSmtpCredential } from "./schema.ts";

const ListQuery = z.object(pageOrCursorQuery).superRefine(refuseDeepPages);

const operation = operationsOf("SMTP credentials");

export const smtpCredentialRoutes = newRoutes()
  .post(
    "/v1/smtp-credentials/",
    operation("smtp:manage", "createSmtpCredential", {
      summary: "Create the SMTP credential of a domain",
      description:
        "The credential sends from the mailboxes of its domain, as the calling user. A domain has at most one active " +
        "credential. Connect to `smtp_host` and `smtp_port` with STARTTLS.",
      responses: responses(
        201,
        "The SMTP credential. `password` is shown in this response only",
        NewSmtpCredentialOut,
        [400, 403, 404, 409, 413, 415],
      ),
    }),
    ...body(SmtpCredentialIn),
    idempotent(201),
    async (c) => c.json(await createSmtpCredential(c.get("caller"), c.req.valid("json")), 201),
  )
  .get(
    "/v1/smtp-credentials/",
    operation("smtp:view", "listSmtpCredentials", {
      summary: "List SMTP credentials, newest first",
      responses: responses(
        200,
        "A page of SMTP credentials, inactive ones included, without passwords",
        z.array(SmtpCredentialOut),
        [403],
      ),
    }),
    query(ListQuery),
    (c) => respondList(c, { read: listSmtpCredentials, after: ({ id }) => id, serialize: toSmtpCredential }),
  )
  .delete(
    "/v1/smtp-credentials/:credential_id",
    operation("smtp:manage", "revokeSmtpCredential", {
      summary: "Deactivate an SMTP credential",
      description:
        "Cannot be undone. Open connections are refused at their next MAIL FROM or message. The response takes half a second.",
      responses: responses(204, "Deactivated", null, [403, 404]),
    }),
    (c) => noContent(c, deactivateSmtpCredential(c.get("caller"), c.req.param("credential_id"))),
  );
