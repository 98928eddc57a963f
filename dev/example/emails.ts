import { DAY_MS } from "../../src/lib/time.ts";
import { cancelEmail, SendIn, sendEmail } from "../../src/sending/emails/index.ts";
import { createTemplate, TemplateIn } from "../../src/sending/templates/index.ts";
import { planHits } from "./hits.ts";
import { customers, gone, type Person } from "./people.ts";
import { DAYS, SHOP, type Shop, timeOf, toHtml } from "./shop.ts";

/** Emails of a day, from Sunday on. */
const PER_DAY = [21, 33, 38, 36, 41, 46, 28];
/** Minutes before the end at which emails leave in any case, so that the newest ones are recent at each hour of the day. */
const NEWEST = [3, 8, 14, 26, 33, 58, 97, 121];
const FIRST_ORDER = 20_391;
const GOODS = ["Darjeeling First Flush, 100 g", "Espresso Nr. 4, 500 g", "Oolong Tie Guan Yin, 50 g", "Cold brew set"];

/** The templates of the shop, and a text that makes each email of it findable. */
const TEMPLATES = {
  receipt: {
    name: "Receipt",
    subject: "Your receipt for order {{order}}",
    title: "Thank you, {{name}}",
    body: "<p>We have your order {{order}}: {{goods}}. Total: <b>{{total}}</b>.</p>",
  },
  shipping: {
    name: "Shipping notice",
    subject: "Your order {{order}} is on its way",
    title: "It left our shop this morning",
    body: '<p>Hello {{name}}, {{goods}} should arrive in two days.</p><p><a href="https://lindqvist.test/orders/{{order}}">Follow your parcel</a></p>',
  },
  password: {
    name: "Password reset",
    subject: "Reset your password",
    title: "Choose a new password",
    body: '<p>Hello {{name}}, this link works for an hour.</p><p><a href="https://lindqvist.test/reset/{{order}}">Choose a password</a></p>',
  },
} as const;
export type Kind = keyof typeof TEMPLATES;

type TemplateIds = Record<Kind, string>;

/** Creates the templates. */
export async function createTemplates({ caller }: Shop): Promise<TemplateIds> {
  const ids = {} as TemplateIds;
  for (const [kind, { name, subject, title, body }] of Object.entries(TEMPLATES)) {
    const text_body = `${title}\n\n${body.replaceAll(/<[^>]+>/g, "")}`;
    const input = TemplateIn.parse({ name, subject, html_body: toHtml(title, body), text_body });
    ids[kind as Kind] = (await createTemplate(caller, input)).id;
  }
  return ids;
}

/** Returns the request of an email of the shop. */
export function requestOf(ids: TemplateIds, kind: Kind, to: Pick<Person, "name" | "email">, order: number): SendIn {
  return SendIn.parse({
    from_: { email: `orders@${SHOP.domain}`, name: SHOP.name },
    to: [{ email: to.email, name: to.name }],
    template_id: ids[kind],
    variables: {
      name: to.name,
      order: String(order),
      goods: GOODS[order % GOODS.length] ?? "",
      total: `${(9 + ((order * 37) % 60)).toFixed(2)} EUR`,
    },
    tags: [kind],
    tracking: { opens: true, clicks: true },
  });
}

/** Plans the usual emails of each day: receipts, shipping notices and passwords, of which many are opened. */
export function planUsual(shop: Shop, ids: TemplateIds): void {
  const { random, past } = shop;
  let order = FIRST_ORDER;
  const add = (at: number, index: number) => {
    const kind: Kind = index % 7 === 6 ? "password" : index % 3 === 1 ? "shipping" : "receipt";
    const [to, isOpened, isClicked, number] = [personOf(random()), random() < 0.58, random() < 0.45, order++];
    if (at > shop.end) return;
    past.plan(at, async () => {
      const { id } = await sendEmail(shop.caller, requestOf(ids, kind, to, number), "api");
      const url = kind === "shipping" ? `https://lindqvist.test/orders/${number}` : null;
      if (isOpened) planHits(shop, id, { opened: random() * 0.2 * DAY_MS, url: isClicked ? url : null });
    });
  };
  for (let day = 0; day < DAYS; day++) {
    const weekday = new Date(timeOf(shop, day, 0)).getUTCDay();
    for (let index = 0; index < (PER_DAY[weekday] ?? 0); index++) {
      // More in the evening than at night.
      const hour = random() < 0.2 ? 24 * random() : 6.5 + 15 * Math.sqrt(random());
      add(timeOf(shop, day, hour), index);
    }
  }
  for (const [index, minutes] of NEWEST.entries()) add(shop.end - minutes * 60_000, index);
}

const buyers = customers.filter((person) => !gone.includes(person));
const personOf = (share: number) => buyers[Math.floor(share * buyers.length)] as Person;

/** Plans an email that leaves later today, one for tomorrow, and one that was cancelled. */
export function planScheduled(shop: Shop, ids: TemplateIds): void {
  const send = (index: number, at: number) =>
    sendEmail(
      shop.caller,
      { ...requestOf(ids, "shipping", personOf(index / 60), 20_700 + index), send_at: new Date(at).toISOString() },
      "api",
    );
  shop.past.plan(shop.end - 50 * 60_000, async () => {
    await send(7, shop.end + DAY_MS / 6);
    await send(23, shop.end + 1.1 * DAY_MS);
    const { id } = await send(31, shop.end + DAY_MS);
    await cancelEmail(shop.caller, id);
  });
}
