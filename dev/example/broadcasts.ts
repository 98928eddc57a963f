import {
  BroadcastIn,
  createBroadcast,
  createVariant,
  pauseBroadcast,
  promoteVariant,
  sendBroadcast,
  VariantIn,
} from "../../src/audience/broadcasts/index.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import type { Audience } from "./audience.ts";
import { planHits } from "./hits.ts";
import { SHOP, type Shop, timeOf, toHtml, UNSUBSCRIBE } from "./shop.ts";

const HARVEST = "https://lindqvist.test/autumn";
const TASTING = "https://lindqvist.test/tasting";

const sender = { from_address: `${SHOP.name} <hello@${SHOP.domain}>` };

const HARVEST_LETTER = toHtml(
  "The autumn harvest is here",
  `<p>Hello {{name}},</p><p>Three teas and one coffee have arrived this week, and we roasted the first bag this morning.</p><p><a href="${HARVEST}">See what has arrived</a></p><p>On Saturday we brew all of them: <a href="${TASTING}">join the tasting</a>.</p>${UNSUBSCRIBE}`,
);

/** Plans a broadcast that compared two subjects, whose winner went to everybody else a day later. */
export function planHarvest(shop: Shop, { customers, topic }: Audience): void {
  const { past, caller } = shop;
  const sent = timeOf(shop, 4, 9);
  past.plan(sent, async () => {
    const input = { name: "Autumn harvest", subject: "The autumn harvest has arrived", ...sender };
    const text_body = `Hello {{name}}, three teas and one coffee have arrived: ${HARVEST}`;
    const audience = { contact_list_id: customers, topic_id: topic, ab_test_pct: 50 };
    const { id } = await createBroadcast(
      caller,
      BroadcastIn.parse({
        ...input,
        ...audience,
        html_body: HARVEST_LETTER,
        text_body,
        preheader: "Fresh from the slopes",
      }),
    );
    const add = (label: string, subject: string) => createVariant(caller, id, VariantIn.parse({ label, subject }));
    await add("Plain", input.subject);
    const winner = await add("By name", "{{name}}, your tea shelf called");
    await sendBroadcast(caller, id);
    past.plan(sent + 600_000, () => planReaders(shop, id, 0));
    past.plan(sent + DAY_MS, () => promoteVariant(caller, id, winner.id));
    past.plan(sent + DAY_MS + 600_000, () => planReaders(shop, id, sent + DAY_MS));
  });
}

/** Plans what is not sent: a draft, and a broadcast to the cafés that was paused before its emails left. */
export function planUnsent(shop: Shop, { customers, wholesale, topic }: Audience): void {
  const { past, caller, end } = shop;
  past.plan(end - 26 * HOUR_MS, () =>
    createBroadcast(
      caller,
      BroadcastIn.parse({
        name: "Christmas boxes",
        subject: "{{name}}, the Christmas boxes are packed",
        ...sender,
        contact_list_id: customers,
        topic_id: topic,
        preheader: "Order by the 18th",
        html_body: toHtml(
          "The boxes are packed",
          `<p>Hello {{name}}, there are 200 of them this year.</p>${UNSUBSCRIBE}`,
        ),
        text_body: "Hello {{name}}, there are 200 of them this year.",
      }),
    ),
  );
  past.plan(end - 7 * HOUR_MS, async () => {
    const text_body = "Hello {{name}}, from January on a kilo of Espresso Nr. 4 costs 24 EUR. {{unsubscribe_url}}";
    const input = { name: "Prices of 2027", subject: "Our prices from January on", ...sender, text_body };
    const { id } = await createBroadcast(caller, BroadcastIn.parse({ ...input, contact_list_id: wholesale }));
    await sendBroadcast(caller, id);
    // After its emails were made, and before they leave.
    past.plan(past.ctx.now(), () => pauseBroadcast(caller, id));
  });
}

const FIND_EMAILS = `
  SELECT e.id, v.label FROM broadcasts b CROSS JOIN emails e ON e.broadcast = b.n LEFT JOIN broadcast_variants v ON v.n = e.variant
   WHERE b.workspace = ?1 AND b.id = ?2 AND e.created_at >= ?3 AND e.status = 'delivered' ORDER BY e.n`;

/** Plans opens and clicks of the emails of a broadcast that were created since a time. The subject with the name does better. */
async function planReaders(shop: Shop, broadcast: string, since: number): Promise<void> {
  const { caller, random } = shop;
  const { results } = await caller.outbox
    .prepare(FIND_EMAILS)
    .bind(caller.workspace.number, broadcast, since)
    .all<{ id: string; label: string }>();
  for (const { id, label } of results) {
    const [opens, clicks] = label === "Plain" ? [0.34, 0.3] : [0.7, 0.6];
    if (random() > opens) continue;
    const url = random() > clicks ? null : random() < 0.7 ? HARVEST : TASTING;
    planHits(shop, id, { opened: random() ** 2 * DAY_MS, url });
  }
}
