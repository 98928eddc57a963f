import {
  cancelBroadcast,
  deleteBroadcast,
  getBroadcast,
  listBroadcasts,
  pauseBroadcast,
  planPromotion,
  promoteVariant,
  resumeBroadcast,
  toRecord,
} from "../../../audience/broadcasts/index.ts";
import { type AppContext, newRoutes } from "../../../http/env.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { attempt, changeByButton, onceForForm, pageFor, readForm } from "../../../http/page-routes.ts";
import { ConfirmPage } from "../../../http/ui/index.ts";
import { notFound } from "../../../lib/errors.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { PromotePage } from "./confirm.tsx";
import { notices } from "./notices.ts";
import { BroadcastsPage } from "./page.tsx";
import { idOf } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { stepPages } from "./step-routes.tsx";

const API = "/v1/broadcasts/:broadcast_id";
const DELETE = `DELETE ${API}`;
const PROMOTE = `POST ${API}/promote/:variant_id`;

/** The pages of broadcasts: their list, the steps of writing one, its results, and what is done to it. */
export const broadcastPages = newRoutes()
  .route("/", stepPages)
  .get("/app/broadcasts", ...pageFor("GET /v1/broadcasts/"), async (c) => {
    const caller = c.get("caller");
    const before = c.req.query("before")?.toLowerCase();
    const { broadcasts, next } = await listBroadcasts(caller, { before, limit: PAGE_SIZE });
    const records = broadcasts.map((broadcast) => toRecord(caller.workspace.id, broadcast));
    return respondPage(c, <BroadcastsPage broadcasts={records} />, {
      notices,
      next: next && `/app/broadcasts?${new URLSearchParams({ before: next })}`,
    });
  })
  .get("/app/broadcasts/:broadcast_id", ...pageFor(`GET ${API}`), showBroadcast)
  .get("/app/broadcasts/:broadcast_id/html", ...pageFor(`GET ${API}`), async (c) => {
    const caller = c.get("caller");
    const { html_body } = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
    if (html_body === null) throw notFound("Broadcast");
    return respondMailHtml(c, html_body);
  })
  .post("/app/broadcasts/:broadcast_id/pause", ...pageFor(`POST ${API}/pause`), (c) =>
    changeByButton(c, PAGE, "paused", pauseBroadcast),
  )
  .post("/app/broadcasts/:broadcast_id/resume", ...pageFor(`POST ${API}/resume`), (c) =>
    changeByButton(c, PAGE, "resumed", resumeBroadcast),
  )
  .post("/app/broadcasts/:broadcast_id/cancel", ...pageFor(`POST ${API}/cancel`), (c) =>
    changeByButton(c, PAGE, "cancelled", cancelBroadcast),
  )
  .get("/app/broadcasts/:broadcast_id/promote/:variant_id", ...pageFor(PROMOTE), (c) => askToPromote(c))
  .post("/app/broadcasts/:broadcast_id/promote/:variant_id", ...pageFor(PROMOTE), async (c) => {
    await readForm(c);
    const variant = c.req.param("variant_id");
    return changeByButton(c, PAGE, "promoted", (_, id) => onceForForm(c, (ctx) => promoteVariant(ctx, id, variant)));
  })
  .get("/app/broadcasts/:broadcast_id/delete", ...pageFor(DELETE), async (c) => {
    const caller = c.get("caller");
    const { id, name } = toRecord(caller.workspace.id, await getBroadcast(caller, idOf(c)));
    return respondPage(
      c,
      <ConfirmPage title={`Delete ${name}?`} button="Delete broadcast" back={`/app/broadcasts/${id}`}>
        Its results are deleted. Emails that were sent stay in the list of emails. This cannot be undone.
      </ConfirmPage>,
    );
  })
  .post("/app/broadcasts/:broadcast_id/delete", ...pageFor(DELETE), (c) =>
    attempt(c, showBroadcast, async () => {
      await deleteBroadcast(c.get("caller"), idOf(c));
      return "/app/broadcasts?done=deleted";
    }),
  );

const PAGE = { parameter: "broadcast_id", show: showBroadcast, pathOf: (id: string) => `/app/broadcasts/${id}` };

/** Shows what a promotion would do, or why it is refused: its state may have changed since the page of the broadcast was read. */
const askToPromote = (c: AppContext) =>
  attempt(c, showBroadcast, async () => {
    const promotion = await planPromotion(c.get("caller"), idOf(c), c.req.param("variant_id") ?? "");
    return respondPage(c, <PromotePage promotion={promotion} />);
  });
