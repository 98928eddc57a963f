import type { Context } from "hono";
import { Hono } from "hono";
import {
  type Broadcast,
  BroadcastIn,
  BroadcastPatch,
  cancelBroadcast,
  countAudience,
  createBroadcast,
  createVariant,
  deleteBroadcast,
  deleteVariant,
  findVariantsOf,
  getBroadcast,
  getTopLinks,
  isEditable,
  listBroadcasts,
  pauseBroadcast,
  planPromotion,
  promoteVariant,
  resumeBroadcast,
  sendBroadcast,
  sendTest,
  TestIn,
  toRecord,
  toVariant,
  updateBroadcast,
  VariantIn,
} from "../../../audience/broadcasts/index.ts";
import { listLists, toList } from "../../../audience/contacts/index.ts";
import type { AppEnv } from "../../../http/env.ts";
import { readForm } from "../../../http/fields.ts";
import { onceForForm } from "../../../http/idempotency.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { parseFields, type Refusal, submitForm, toRefusal } from "../../../http/page-form.ts";
import { pageFor } from "../../../http/page-right.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { AppError, notFound } from "../../../lib/errors.ts";
import { requireVersion } from "../../../lib/form-version.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { listSenders } from "../senders.ts";
import { PromotePage, SendPage } from "./confirm.tsx";
import {
  type BroadcastForm,
  BroadcastFormPage,
  readBroadcastForm,
  toBroadcastForm,
  toBroadcastRequest,
  valuesOf,
} from "./form.tsx";
import { BroadcastPage, BroadcastsPage } from "./page.tsx";

/** Greatest body of the form, in bytes: percent-encoding triples what it has to. */
const MAX_FORM_BYTES = 3_000_000;
const TOP_LINKS = 10;

const API = "/v1/broadcasts/:broadcast_id";
const DELETE = `DELETE ${API}`;
const SEND = `POST ${API}/send`;
const PROMOTE = `POST ${API}/promote/:variant_id`;
const UPDATE = `PATCH ${API}`;

const notices: Readonly<Record<string, string>> = {
  saved: "The broadcast is saved.",
  deleted: "The broadcast is deleted.",
  sending: "The broadcast is being sent.",
  paused: "The broadcast is paused.",
  resumed: "The broadcast goes on.",
  cancelled: "The broadcast is cancelled.",
  promoted: "The variant is sent to everybody else.",
  tested: "The test is on its way.",
  "variant-added": "The variant is added.",
  "variant-deleted": "The variant is deleted.",
};

const idOf = (c: Context<AppEnv>) => c.req.param("broadcast_id") ?? "";

export const broadcastPages = new Hono<AppEnv>()
  .get("/app/broadcasts", ...pageFor("GET /v1/broadcasts/"), async (c) => {
    const caller = c.get("caller");
    const before = c.req.query("before")?.toLowerCase();
    const { broadcasts, next } = await listBroadcasts(caller, { before, limit: PAGE_SIZE });
    const path = next && `/app/broadcasts?${new URLSearchParams({ before: next })}`;
    const records = broadcasts.map((broadcast) => toRecord(caller.workspace.id, broadcast));
    const notice = notices[c.req.query("done") ?? ""];
    return respondPage(c, <BroadcastsPage caller={caller} broadcasts={records} next={path} notice={notice} />);
  })
  .get("/app/broadcasts/new", ...pageFor("POST /v1/broadcasts/"), (c) => showForm(c, false))
  .post("/app/broadcasts/new", ...pageFor("POST /v1/broadcasts/"), async (c) => {
    const form = readBroadcastForm(await readForm(c, MAX_FORM_BYTES));
    return submitForm(
      c,
      async () => {
        const request = toBroadcastRequest(form);
        const input = parseFields(BroadcastIn, request);
        const run = onceForForm(c, form.idempotencyKey, JSON.stringify(request), (ctx) => createBroadcast(ctx, input));
        return `/app/broadcasts/${(await run).id}?done=saved`;
      },
      (refusal) => showForm(c, false, { form, refusal }),
    );
  })
  .get("/app/broadcasts/:broadcast_id", ...pageFor(`GET ${API}`), (c) => showBroadcast(c))
  .get("/app/broadcasts/:broadcast_id/html", ...pageFor(`GET ${API}`), async (c) => {
    const caller = c.get("caller");
    const { html_body } = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
    if (html_body === null) throw notFound("Broadcast");
    return respondMailHtml(c, html_body);
  })
  .get("/app/broadcasts/:broadcast_id/edit", ...pageFor(UPDATE), (c) => showForm(c, true))
  .post("/app/broadcasts/:broadcast_id/edit", ...pageFor(UPDATE), async (c) => {
    const form = readBroadcastForm(await readForm(c, MAX_FORM_BYTES));
    return submitForm(
      c,
      async () => {
        const caller = c.get("caller");
        const patch = parseFields(BroadcastPatch, toBroadcastRequest(form));
        const stored = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
        requireVersion(form.version, valuesOf(toBroadcastForm(stored)), valuesOf(form));
        await updateBroadcast(caller, idOf(c), patch);
        return `/app/broadcasts/${idOf(c)}?done=saved`;
      },
      (refusal) => showForm(c, true, { form, refusal }),
    );
  })
  .get("/app/broadcasts/:broadcast_id/send", ...pageFor(SEND), async (c) => {
    const caller = c.get("caller");
    const [found, variants] = await Promise.all([getBroadcast(caller, idOf(c)), findVariantsOf(caller, idOf(c))]);
    const broadcast = toRecord(caller.workspace.id, found);
    return respondPage(c, <SendPage {...{ caller, broadcast, variants }} audience={await findAudience(c, found)} />);
  })
  .post("/app/broadcasts/:broadcast_id/send", ...pageFor(SEND), (c) => change(c, "sending", sendBroadcast))
  .post("/app/broadcasts/:broadcast_id/pause", ...pageFor(`POST ${API}/pause`), (c) =>
    change(c, "paused", pauseBroadcast),
  )
  .post("/app/broadcasts/:broadcast_id/resume", ...pageFor(`POST ${API}/resume`), (c) =>
    change(c, "resumed", resumeBroadcast),
  )
  .post("/app/broadcasts/:broadcast_id/cancel", ...pageFor(`POST ${API}/cancel`), (c) =>
    change(c, "cancelled", cancelBroadcast),
  )
  .get("/app/broadcasts/:broadcast_id/promote/:variant_id", ...pageFor(PROMOTE), (c) => askToPromote(c))
  .post("/app/broadcasts/:broadcast_id/promote/:variant_id", ...pageFor(PROMOTE), async (c) => {
    const key = (await readForm(c)).get("idempotency_key") ?? "";
    const variant = c.req.param("variant_id");
    return change(c, "promoted", (_, id) =>
      onceForForm(c, key, JSON.stringify([id, variant]), (ctx) => promoteVariant(ctx, id, variant)),
    );
  })
  .post("/app/broadcasts/:broadcast_id/test", ...pageFor(`POST ${API}/test`), async (c) => {
    const to = (await readForm(c)).get("to") ?? "";
    return change(c, "tested", (caller, id) => sendTest(caller, id, parseFields(TestIn, { to: [to] })));
  })
  .post("/app/broadcasts/:broadcast_id/variants", ...pageFor(`POST ${API}/variants`), async (c) => {
    const fields = await readForm(c);
    const request = { label: fields.get("label") ?? "", subject: fields.get("variant_subject") ?? "" };
    return change(c, "variant-added", (_, id) => {
      const input = parseFields(VariantIn, request);
      const key = fields.get("idempotency_key") ?? "";
      return onceForForm(c, key, JSON.stringify([id, request]), (ctx) => createVariant(ctx, id, input));
    });
  })
  .post(
    "/app/broadcasts/:broadcast_id/variants/:variant_id/delete",
    ...pageFor(`DELETE ${API}/variants/:variant_id`),
    (c) => change(c, "variant-deleted", (caller, id) => deleteVariant(caller, id, c.req.param("variant_id"))),
  )
  .get("/app/broadcasts/:broadcast_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
    return respondPage(
      c,
      <ConfirmPage
        title={`Delete ${name}?`}
        caller={caller}
        button="Delete broadcast"
        back={`/app/broadcasts/${id}`}
        at="/app/broadcasts"
      >
        Its results are deleted. Emails that were sent stay in the list of emails. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/broadcasts/:broadcast_id/delete", ...pageFor(DELETE), (c) =>
    submitForm(
      c,
      async () => {
        await deleteBroadcast(c.get("caller"), idOf(c));
        return "/app/broadcasts?done=deleted";
      },
      (refusal) => showBroadcast(c, refusal),
    ),
  );

function change(
  c: Context<AppEnv>,
  done: string,
  run: (caller: AppEnv["Variables"]["caller"], id: string) => Promise<unknown>,
): Promise<Response> {
  return submitForm(
    c,
    async () => {
      await run(c.get("caller"), idOf(c));
      return `/app/broadcasts/${idOf(c)}?done=${done}`;
    },
    (refusal) => showBroadcast(c, refusal),
  );
}

/** Shows what a promotion would do, or why it is refused: its state may have changed since the page of the broadcast was read. */
async function askToPromote(c: Context<AppEnv>): Promise<Response> {
  const caller = c.get("caller");
  try {
    const promotion = await planPromotion(caller, idOf(c), c.req.param("variant_id") ?? "");
    const page = <PromotePage {...{ caller, promotion }} idempotencyKey={crypto.randomUUID()} />;
    return await respondPage(c, page);
  } catch (error) {
    return showBroadcast(c, toRefusal(error));
  }
}

/** Returns the audience, or null when there is no list or it cannot be counted. */
async function findAudience(c: Context<AppEnv>, broadcast: Broadcast) {
  try {
    return await countAudience(c.get("caller"), broadcast);
  } catch (error) {
    if (error instanceof AppError && error.status !== 404) return null;
    throw error;
  }
}

async function showBroadcast(c: Context<AppEnv>, refusal?: Refusal) {
  const caller = c.get("caller");
  const [found, variants, links] = await Promise.all([
    getBroadcast(caller, idOf(c)),
    findVariantsOf(caller, idOf(c)),
    getTopLinks(caller, idOf(c), TOP_LINKS),
  ]);
  const broadcast = toRecord(caller.workspace.id, found);
  const audience = isEditable(broadcast.status) ? await findAudience(c, found) : null;
  const page = (
    <BroadcastPage
      {...{ caller, broadcast, audience, links, refusal }}
      variants={variants.map((variant) => toVariant(found, variant))}
      notice={refusal ? undefined : notices[c.req.query("done") ?? ""]}
    />
  );
  return respondPage(c, page, { status: refusal?.status ?? 200, frames: true });
}

async function showForm(c: Context<AppEnv>, isChange: boolean, submitted?: { form: BroadcastForm; refusal: Refusal }) {
  const caller = c.get("caller");
  const [broadcast, senders, lists] = await Promise.all([
    isChange ? getBroadcast(caller, idOf(c)).then((found) => toRecord(caller.workspace.id, found)) : null,
    listSenders(caller),
    listLists(caller),
  ]);
  const page = (
    <BroadcastFormPage
      {...{ caller, broadcast, senders }}
      lists={lists.map(toList)}
      form={submitted?.form ?? toBroadcastForm(broadcast)}
      refusal={submitted?.refusal}
    />
  );
  return respondPage(c, page, { status: submitted?.refusal.status ?? 200 });
}
