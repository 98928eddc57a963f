import { outlives } from "../../access/accounts/outlives.ts";
import { type Middleware, newRoutes } from "../../http/env.ts";
import { idempotent } from "../../http/idempotency.ts";
import { noBody } from "../../http/json-body.ts";
import { needs } from "../../http/needs.ts";
import { body, bodyWithAttachments, listWithAttachments } from "../../http/validate.ts";
import type { ValidationError } from "../../lib/errors.ts";
import {
  type BatchItem,
  batchUpload,
  ContentUpload,
  cancelEmail,
  emailLimits,
  getEmailDetail,
  reschedule,
  sendBatch,
  sendEmail,
} from "../../sending/emails/index.ts";
import { toResendError } from "./errors.ts";
import { toBatch, toChanged, toResendEmail, toSent } from "./responses.ts";
import { toSendAt } from "./rules.ts";
import { CONTENT_FIELD, ResendEmail, ResendUpdate } from "./schema.ts";
import { toSend } from "./to-send.ts";

/** Path below which programs written for Resend's npm package find this service. */
export const RESEND_PATH = "/compat/resend";

/** Middleware: translates the body of every error, also those of authentication and of unknown paths. */
export const resendErrors: Middleware = async (c, next) => {
  await next();
  if (c.res.status < 400) return;
  const { detail } = await c.res.json<{ detail: string | ValidationError[] }>();
  const hasKey = c.req.header("Authorization") !== undefined;
  const error = toResendError(c.res.status, detail, { hasKey, mayRetry: c.res.headers.has("Retry-After") });
  c.res = Response.json(error, { status: c.res.status });
};

/** Returns the middleware that translates a successful response, a replayed one too. Place it before `idempotent`. */
function translated<Body>(translate: (body: Body) => object): Middleware {
  return async (c, next) => {
    await next();
    if (c.error === undefined && c.res.ok) c.res = Response.json(translate(await c.res.json<Body>()));
  };
}

/** Programs ask for `strict` (the package does, unless told otherwise) or `permissive`. */
const isStrict = (mode: string | undefined) => mode?.trim().toLowerCase() !== "permissive";

/** The calls of Resend's npm package that this API has too (docs/guides/resend.md). They return 200, and errors in Resend's form. */
export const resendRoutes = newRoutes()
  .post(
    `${RESEND_PATH}/emails`,
    needs("emails:send", outlives.nothing),
    ...bodyWithAttachments(ResendEmail, (caller) => new ContentUpload(caller), CONTENT_FIELD),
    translated(toSent),
    idempotent(202),
    async (c) => {
      const attachments = c.get("attachments");
      const upload = attachments instanceof ContentUpload ? attachments : undefined;
      const caller = c.get("caller");
      return c.json(await sendEmail(caller, toSend(c.req.valid("json"), caller.now()), "api", upload), 202);
    },
  )
  .post(
    `${RESEND_PATH}/emails/batch`,
    needs("emails:send", outlives.nothing),
    ...listWithAttachments(ResendEmail, emailLimits.batch, batchUpload, CONTENT_FIELD),
    translated(toBatch),
    idempotent(202),
    async (c) => {
      const attachments = c.get("attachments");
      const upload = attachments instanceof ContentUpload ? attachments : undefined;
      const caller = c.get("caller");
      const items = c.req
        .valid("json")
        .map((item): BatchItem => ("errors" in item ? item : { input: toSend(item.input, caller.now()) }));
      return c.json(await sendBatch(caller, items, isStrict(c.req.header("X-Batch-Validation")), upload), 202);
    },
  )
  .get(`${RESEND_PATH}/emails/:email_id`, needs("emails:view", outlives.nothing), async (c) =>
    c.json(toResendEmail(await getEmailDetail(c.get("caller"), c.req.param("email_id")))),
  )
  .patch(
    `${RESEND_PATH}/emails/:email_id`,
    needs("emails:send", outlives.nothing),
    ...body(ResendUpdate),
    async (c) => {
      const caller = c.get("caller");
      const sendAt = toSendAt(c.req.valid("json").scheduled_at, caller.now());
      return c.json(toChanged(await reschedule(caller, c.req.param("email_id"), sendAt)));
    },
  )
  .post(`${RESEND_PATH}/emails/:email_id/cancel`, needs("emails:send", outlives.nothing), noBody, async (c) =>
    c.json(toChanged(await cancelEmail(c.get("caller"), c.req.param("email_id")))),
  );
