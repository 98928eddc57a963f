import { getTopLinks, isEditable, skipCountsOf } from "../../../audience/broadcasts/index.ts";
import type { AppContext } from "../../../http/env.ts";
import { respondPage } from "../../../http/page.tsx";
import { BroadcastPage } from "./page.tsx";
import { idOf } from "./save-step.tsx";
import { findAudience, findZone, readBroadcast } from "./show-step.tsx";
import { firstUnfinished, pathOfStep } from "./steps.ts";
import { isWaitingForWinner } from "./variants.tsx";

const TOP_LINKS = 10;

/** Shows a broadcast. A draft is opened at the step that is left to do, unless it was refused something. */
export async function showBroadcast(c: AppContext): Promise<Response> {
  const caller = c.get("caller");
  const [{ found, broadcast, variants }, links, zone] = await Promise.all([
    readBroadcast(c),
    getTopLinks(caller, idOf(c), TOP_LINKS),
    findZone(caller),
  ]);
  if (broadcast.status === "draft" && !c.get("refusal") && caller.actor.scopes.has("broadcasts:manage"))
    return c.redirect(pathOfStep(broadcast.id, firstUnfinished(broadcast, variants)), 303);
  // That of a sample which was sent is stored with the broadcast, so it takes no call.
  const isCounted = isEditable(broadcast.status) || isWaitingForWinner(broadcast, variants);
  const audience = isCounted ? await findAudience(c, found) : null;
  const skipped = skipCountsOf(found)?.total ?? broadcast.skipped_count;
  const shown = { broadcast, variants, audience, skipped, links, zone, now: caller.now() };
  return respondPage(c, <BroadcastPage {...shown} />, { frames: true });
}
