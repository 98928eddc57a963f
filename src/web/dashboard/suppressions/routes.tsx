import type { Context } from "hono";
import { Hono } from "hono";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { parseAddress } from "../../../lib/addresses.ts";
import {
  addSuppression,
  listSuppressions,
  removeSuppression,
  SuppressionIn,
  toSuppression,
} from "../../../sending/suppressions/index.ts";
import { SuppressionsPage } from "./page.tsx";

const PAGE_SIZE = 100;

const notices: Readonly<Record<string, string>> = {
  added: "The address is suppressed.",
};

export const suppressionPages = new Hono<AppEnv>()
  .get("/app/suppressions", ...pageFor("GET /v1/suppressions/"), (c) => showList(c))
  .post("/app/suppressions", ...pageFor("POST /v1/suppressions/"), async (c) => {
    const fields = await readForm(c);
    const form = { email: fields.get("email") ?? "", idempotencyKey: fields.get("idempotency_key") ?? "" };
    return submitForm(
      c,
      async () => {
        const reason = fields.get("reason");
        const input = parseFields(SuppressionIn, { email: form.email.trim(), ...(reason === null ? {} : { reason }) });
        await onceForForm(c, form.idempotencyKey, input.email, (ctx) => addSuppression(ctx, input));
        return "/app/suppressions?done=added";
      },
      (refusal) => showList(c, { form, refusal }),
    );
  })
  .post("/app/suppressions/remove", ...pageFor("DELETE /v1/suppressions/:email"), async (c) => {
    const fields = await readForm(c);
    const email = fields.get("email") ?? "";
    await removeSuppression(c.get("caller"), email);
    const removed = new URLSearchParams({ done: "removed", email, reason: fields.get("reason") ?? "manual" });
    return c.redirect(`/app/suppressions?${removed}`, 303);
  });

async function showList(
  c: Context<AppEnv>,
  submitted?: { form: { email: string; idempotencyKey: string }; refusal: Refusal },
) {
  const caller = c.get("caller");
  const search = c.req.query("address")?.trim() ?? "";
  const after = c.req.query("after");
  const found = await listSuppressions(caller, {
    ...(search === "" ? {} : { email: parseAddress(search)?.key ?? null }),
    ...(after ? { after } : {}),
    ...{ page: 0, limit: PAGE_SIZE },
  });
  const shown = found.slice(0, PAGE_SIZE);
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined;
  const page = (
    <SuppressionsPage
      caller={caller}
      suppressions={shown.map(toSuppression)}
      search={search}
      form={submitted?.form ?? { email: "", idempotencyKey: crypto.randomUUID() }}
      next={last === undefined ? null : `/app/suppressions?${new URLSearchParams({ after: last.email })}`}
      notice={submitted ? undefined : notices[c.req.query("done") ?? ""]}
      removed={submitted ? undefined : readRemoved(c)}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}

/** Returns the entry that was just removed. */
function readRemoved(c: Context<AppEnv>): { email: string; reason: string } | undefined {
  const { done, email, reason } = c.req.query();
  if (done !== "removed" || !email) return undefined;
  return { email, reason: reason ?? "manual" };
}
