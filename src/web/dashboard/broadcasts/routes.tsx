import type { CallerCtx } from "../../../access/caller.ts";
import {
  cancelBroadcast,
  copyBroadcast,
  deleteBroadcast,
  getBroadcast,
  listBroadcasts,
  listSkipped,
  pauseBroadcast,
  planPromotion,
  previewBroadcast,
  promoteVariant,
  resumeBroadcast,
  setWebVersion,
  skipReasons,
  toRecord,
} from "../../../audience/broadcasts/index.ts";
import { respondPage } from "../../../http/page.tsx";
import { button, deletion, get, page, pagesOf, question } from "../../../http/page-actions.tsx";
import { counted } from "../../../http/ui/index.ts";
import { withQuery } from "../../../lib/with-query.ts";
import { PAGE_SIZE } from "../page-size.ts";
import { respondPart } from "../preview-as.tsx";
import { BroadcastsPage } from "./page.tsx";
import { showRecipients } from "./recipients-page.tsx";
import { idOf } from "./save-step.tsx";
import { showBroadcast } from "./show.tsx";
import { readBroadcast } from "./show-step.tsx";
import { SkippedPage } from "./skipped-page.tsx";
import { stepRoutes } from "./step-routes.tsx";
import { pathOfStep } from "./steps.ts";

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
  page("/app/broadcasts/:broadcast_id/skipped", `GET ${API}/skipped`, async (c) => {
    const [caller, { q = "", reason: wanted, after = "" }] = [c.get("caller"), c.req.query()];
    const reason = skipReasons.find((one) => one === wanted);
    const query = { q: q.slice(0, 320), reason, after: /^\d{1,15}$/.test(after) ? Number(after) : 0 };
    const broadcast = await getBroadcast(caller, idOf(c));
    const { skipped, next } = await listSkipped(caller, broadcast, { ...query, limit: PAGE_SIZE });
    return respondPage(c, <SkippedPage broadcast={broadcast} skipped={skipped} q={query.q} reason={reason ?? ""} />, {
      next:
        next === null
          ? next
          : withQuery(`/app/broadcasts/${idOf(c)}/skipped`, { q: query.q, reason, after: String(next) }),
      nextLabel: "More",
    });
  }),
  get("/app/broadcasts/:broadcast_id/html", `GET ${API}`, async (c) => {
    const { contact: address, variant_id: variantId } = c.req.query();
    const { found, rows } = await readBroadcast(c);
    return respondPart(c, await previewBroadcast(c.get("caller"), found, rows, { address, variantId }));
  }),
  page("/app/broadcasts/:broadcast_id/recipients", `GET ${API}/recipients`, showRecipients),
  button("/app/broadcasts/:broadcast_id/copy", `POST ${API}/copy`, {
    run: copyBroadcast,
    once: true,
    to: ({ id }) => `${pathOfStep(id, "audience")}?done=copied`,
    done: { copied: "This is the copy, a draft." },
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
  button("/app/broadcasts/:broadcast_id/show-on-web", `POST ${API}/web-version`, {
    run: (caller, id) => setWebVersion(caller, id, true),
    to: "/app/broadcasts/:broadcast_id/review",
    done: { shown: "The broadcast is on the web." },
  }),
  button("/app/broadcasts/:broadcast_id/take-from-web", `DELETE ${API}/web-version`, {
    run: (caller, id) => setWebVersion(caller, id, false),
    to: "/app/broadcasts/:broadcast_id/review",
    done: { taken: "The page is taken back. Its address leads to nothing now." },
  }),
  question("/app/broadcasts/:broadcast_id/promote/:variant_id", `POST ${API}/promote/:variant_id`, {
    of: planPromotion,
    title: ({ broadcast, variant }) => `Promote ${variant.label} of ${broadcast.row.name}?`,
    button: ({ variant, remainder }) => `Send ${variant.label} to ${counted(remainder, "contact")}`,
    isFinal: false,
    text: ({ variant, sample, remainder }) =>
      `${counted(remainder, "contact")} who ${remainder === 1 ? "is" : "are"} not in the sample of ${sample.toLocaleString("en")} ${remainder === 1 ? "gets" : "get"} the variant ${variant.label}, "${variant.subject}". Contacts that are suppressed or deleted meanwhile get none. No other variant can be promoted afterwards.`,
    // Its state may have changed since the page of the broadcast was read.
    show: showBroadcast,
    run: promoteVariant,
    once: true,
    to: "/app/broadcasts/:broadcast_id",
    done: { promoted: "The variant is sent to everybody else." },
  }),
  deletion("/app/broadcasts/:broadcast_id/delete", `DELETE ${API}`, {
    of: readRecord,
    title: ({ name }) => `Delete ${name}?`,
    text: "Its results are deleted. Emails that were sent stay in the list of emails. This cannot be undone.",
    run: deleteBroadcast,
  }),
);

async function readRecord(caller: CallerCtx, id: string) {
  return toRecord(caller.workspace.id, await getBroadcast(caller, id));
}
