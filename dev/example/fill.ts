import { DAY_MS } from "../../src/lib/time.ts";
import { countSegments, createAudience, planSubscribers } from "./audience.ts";
import { planWelcome } from "./automation.ts";
import { planHarvest, planUnsent } from "./broadcasts.ts";
import { createTemplates, planScheduled, planUsual } from "./emails.ts";
import { markRead, planInbox } from "./inbox.ts";
import { Past } from "./past.ts";
import { DAYS, type Shop, timeOf } from "./shop.ts";
import { planReports, planTroubles } from "./troubles.ts";
import { createExample, finishExample } from "./workspace.ts";

/**
 * Fills a new workspace of a user with the example shop: 14 days of mail that ends at `end`, in ms since 1970. All of it is made by the
 * operations of the service at their time, and nothing leaves. Yields a line for each step.
 */
export async function* fillExample(env: Env, ownerId: string, end = Date.now()): AsyncGenerator<string> {
  const past = new Past(env, end - (DAYS + 1) * DAY_MS);
  yield "Creating the workspace, its domain and its mailboxes ...";
  const shop = await createExample(past, ownerId, end);
  await past.moveTo(shop.begin);
  yield "Adding 120 customers, two segments and three templates ...";
  await planAll(shop);
  for (let day = 0; day < DAYS; day++) {
    yield `Sending the emails of day ${day + 1} of ${DAYS} ...`;
    await past.moveTo(Math.min(timeOf(shop, day + 1, 0), end));
  }
}

async function planAll(shop: Shop): Promise<void> {
  const templates = await createTemplates(shop);
  const audience = await createAudience(shop);
  planUsual(shop, templates);
  planTroubles(shop, templates);
  planReports(shop, templates);
  planScheduled(shop, templates);
  planWelcome(shop, audience);
  planSubscribers(shop, audience);
  planHarvest(shop, audience);
  planUnsent(shop, audience);
  planInbox(shop);
  shop.past.plan(shop.end, async () => {
    await countSegments(shop, audience);
    await markRead(shop);
    await finishExample(shop);
  });
}
