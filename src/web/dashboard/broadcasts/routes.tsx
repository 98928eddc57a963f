import type { CallerCtx } from "../../../access/caller.ts";
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
import type { AppContext } from "../../../http/env.ts";
import { respondMailHtml, respondPage } from "../../../http/page.tsx";
import { button, deletion, get, page, pagesOf } from "../../../http/page-actions.tsx";
import { attempt } from "../../../http/page-routes.ts";
import { notFound } from "../../../lib/errors.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { PromotePage } from "./confirm.tsx";
import { BroadcastsPage } from "./page.tsx";
import { idOf } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { stepRoutes } from "./step-routes.tsx";

const API = "/v1/broadcasts/:broadcast_id";

/** The pages of broadcasts: their list, the steps of writing one, its results, and what is done to it. */
export const broadcastPages = pagesOf(
  "broadcast",
  ...stepRoutes,
  page("/app/broadcasts", "GET /v1/broadcasts/", async (c) => {
    const caller = c.get("caller");
    const before = c.req.query("before")?.toLowerCase();
    const { broadcasts, next } = await listBroadcasts(caller, { before, limit: PAGE_SIZE });
    const records = broadcasts.map((broadcast) => toRecord(caller.workspace.id, broadcast));
    return respondPage(c, <BroadcastsPage broadcasts={records} />, {
      next: next && `/app/broadcasts?${new URLSearchParams({ before: next })}`,
    });
  }),
  page("/app/broadcasts/:broadcast_id", `GET ${API}`, showBroadcast),
  get("/app/broadcasts/:broadcast_id/html", `GET ${API}`, async (c) => {
    const { html_body } = await readBroadcast(c.get("caller"), c.req.param("broadcast_id"));
    if (html_body === null) throw notFound("Broadcast");
    return respondMailHtml(c, html_body);
  }),
  button("/app/broadcasts/:broadcast_id/pause", `POST ${API}/pause`, {
    run: pauseBroadcast,
    done: { paused: "The broadcast is paused." },
  }),
  button("/app/broadcasts/:broadcast_id/resume", `POST ${API}/resume`, {
    run: resumeBroadcast,
    done: { resumed: "The broadcast goes on." },
  }),
  button("/app/broadcasts/:broadcast_id/cancel", `POST ${API}/cancel`, {
    run: cancelBroadcast,
    done: { cancelled: "The broadcast is cancelled." },
  }),
  get("/app/broadcasts/:broadcast_id/promote/:variant_id", `POST ${API}/promote/:variant_id`, askToPromote),
  button("/app/broadcasts/:broadcast_id/promote/:variant_id", `POST ${API}/promote/:variant_id`, {
    run: promoteVariant,
    once: true,
    done: { promoted: "The variant is sent to everybody else." },
  }),
  deletion("/app/broadcasts/:broadcast_id/delete", `DELETE ${API}`, {
    of: readBroadcast,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its results are deleted. Emails that were sent stay in the list of emails. This cannot be undone.",
    run: deleteBroadcast,
  }),
);

async function readBroadcast(caller: CallerCtx, id: string) {
  return toRecord(caller.workspace.id, await getBroadcast(caller, id));
}

/** Shows what a promotion would do, or why it is refused: its state may have changed since the page of the broadcast was read. */
function askToPromote(c: AppContext) {
  return attempt(c, showBroadcast, async () => {
    const promotion = await planPromotion(c.get("caller"), idOf(c), c.req.param("variant_id") ?? "");
    return respondPage(c, <PromotePage promotion={promotion} />);
  });
}
