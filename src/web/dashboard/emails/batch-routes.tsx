import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { parseItems } from "../../../http/validate.ts";
import { unprocessable } from "../../../lib/errors.ts";
import { emailLimits, SendIn, sendBatch } from "../../../sending/emails/index.ts";
import { BatchPage, BatchResultPage } from "./batch.tsx";

/** Greatest body of the form, in bytes. */
const MAX_FORM_BYTES = 1_000_000;

export const batchPages = new Hono<AppEnv>()
  .get("/app/emails/batch", ...pageFor("POST /v1/emails/batch"), (c) =>
    showForm(c, { items: EXAMPLE, idempotencyKey: crypto.randomUUID() }),
  )
  .post("/app/emails/batch", ...pageFor("POST /v1/emails/batch"), async (c) => {
    const caller = c.get("caller");
    const form = await readForm(c, MAX_FORM_BYTES);
    const filled = { items: form.get("items") ?? "", idempotencyKey: form.get("idempotency_key") ?? "" };
    return submitForm(
      c,
      async () => {
        const items = parseItems(SendIn, emailLimits.batch, parseJson(filled.items));
        const send = onceForForm(c, filled.idempotencyKey, filled.items, (ctx) => sendBatch(ctx, items, false));
        return respondPage(c, <BatchResultPage caller={caller} result={await send} />);
      },
      (refusal) => showForm(c, filled, refusal),
    );
  });

const EXAMPLE = JSON.stringify(
  [{ from_: { email: "" }, to: [{ email: "delivered@simulator.test" }], subject: "A test", text: "It works." }],
  null,
  2,
);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? `: ${error.message}` : "";
    throw unprocessable([{ loc: ["body", "items"], msg: `This is not JSON${reason}`, type: "json_invalid" }]);
  }
}

function showForm(c: Context<AppEnv>, form: { items: string; idempotencyKey: string }, refusal?: Refusal) {
  const page = <BatchPage caller={c.get("caller")} {...form} refusal={refusal} />;
  return respondPage(c, page, { status: refusal?.status ?? 200 });
}
