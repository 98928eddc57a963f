import { addContact, ContactIn, createList, importContacts, ListIn } from "../../src/audience/contacts/index.ts";
import { countSegment, createSegment, SegmentIn } from "../../src/audience/segments/index.ts";
import { DAY_MS } from "../../src/lib/time.ts";
import { createTopic, TopicIn } from "../../src/sending/topics/index.ts";
import { customers, subscribers } from "./people.ts";
import { type Shop, timeOf } from "./shop.ts";

export interface Audience {
  /** Ids of the lists, of the topic and of the segments. */
  customers: string;
  letter: string;
  wholesale: string;
  topic: string;
  segments: string[];
}

const CAFES = [
  ["Café Norr", "kaffe@cafe-norr.test"],
  ["Bageri Solsidan", "order@bageri-solsidan.test"],
  ["Hotel Örgryte", "kok@hotel-orgryte.test"],
  ["Konditori Vasa", "hej@konditori-vasa.test"],
] as const;
const DRINKS = ["Darjeeling", "Espresso", "Oolong", "Sencha", "Filter coffee"];

/** Creates the segments first, since activity is kept from then on, then the lists with the customers of the shop. */
export async function createAudience(shop: Shop): Promise<Audience> {
  const { caller, end } = shop;
  // A condition on a field has no time before now, so the name has the date too.
  const since = end - 30 * DAY_MS;
  const segments = [
    await createSegment(
      caller,
      segment(`Bought since ${dayOf(since)}`, { field: "last_order", is: "after", value: dateOf(since) }),
    ),
    await createSegment(caller, segment("Opened something in two weeks", { activity: "opened", within_days: 14 })),
  ];
  const topic = await createTopic(
    caller,
    TopicIn.parse({ name: "Tea letter", description: "What has arrived, once a month", is_public: true }),
  );
  const add = (name: string, description: string) => createList(caller, ListIn.parse({ name, description }));
  const [list, letter, wholesale] = [
    await add("Customers", "Everyone who bought something in our web shop"),
    await add("Tea letter", "People who subscribed on our page"),
    await add("Wholesale", "Cafés and hotels that we deliver to"),
  ];
  const rows = customers.map(({ name, email, city }, index) => {
    const last = dateOf(end - ((index * 29) % 75) * DAY_MS);
    return [email, name, city, DRINKS[index % DRINKS.length], 1 + ((index * 7) % 19), last].join(",");
  });
  const file = `email,name,city,favourite,orders,last_order\n${rows.join("\n")}\n`;
  await importContacts(caller, list.id, new TextEncoder().encode(file), { source: "Checkout of the web shop" });
  for (const [name, email] of CAFES)
    await addContact(caller, wholesale.id, ContactIn.parse({ email, name, metadata: { city: "Göteborg" } }));
  return {
    customers: list.id,
    letter: letter.id,
    wholesale: wholesale.id,
    topic: topic.id,
    segments: segments.map(({ id }) => id),
  };
}

/** Plans that people subscribe to the tea letter, about one a day. */
export function planSubscribers(shop: Shop, { letter }: Audience): void {
  for (const [index, { name, email, city }] of subscribers.entries()) {
    const at = timeOf(shop, index, 8 + ((index * 5) % 13));
    const contact = ContactIn.parse({
      email,
      name,
      metadata: { city, found_us: index % 3 === 0 ? "a friend" : "search" },
    });
    if (at > shop.end) continue;
    shop.past.plan(at, () => addContact(shop.caller, letter, contact));
    shop.past.plan(at + 2_000, () => shop.past.runAutomations());
  }
}

/** Counts the segments, so that their list shows how many people are in them. */
export async function countSegments({ caller }: Shop, { segments }: Audience): Promise<void> {
  for (const id of segments) await countSegment(caller, id);
}

const segment = (name: string, conditions: object) => SegmentIn.parse({ name, conditions });
const dayOf = (ms: number) =>
  new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", timeZone: "UTC" }).format(ms);
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
