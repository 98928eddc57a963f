import { AutomationIn, activateAutomation, createAutomation } from "../../src/audience/automations/index.ts";
import { DAY_MS, HOUR_MS } from "../../src/lib/time.ts";
import type { Audience } from "./audience.ts";
import { planHits } from "./hits.ts";
import { type Shop, timeOf, toHtml, UNSUBSCRIBE } from "./shop.ts";

/** Plans a welcome series for subscribers of the tea letter, and that half of them open what they get. */
export function planWelcome(shop: Shop, { letter, topic }: Audience): void {
  const { past, caller, hello, begin, end } = shop;
  const email = (subject: string, title: string, body: string) => ({
    kind: "send_email",
    mailbox_id: hello.id,
    topic_id: topic,
    subject,
    html: toHtml(title, `<p>Hello {{name}},</p>${body}${UNSUBSCRIBE}`),
    text: `Hello {{name}}, ${body.replaceAll(/<[^>]+>/g, "")}`,
  });
  const input = AutomationIn.parse({
    name: "Welcome series",
    trigger: { event: "contact.added", filter: { event: "list_id", is: "equals", value: letter } },
    entry: { mode: "once", quiet_hours: { from: "22:00", to: "07:00" } },
    steps: [
      email("Welcome to the tea letter", "Welcome", "<p>we write once a month, when something new has arrived.</p>"),
      { kind: "wait", for: { days: 3 } },
      email(
        "How to brew a pot that is not bitter",
        "Four minutes",
        "<p>two grams a cup, 85 degrees, four minutes.</p>",
      ),
      { kind: "wait", for: { days: 4 } },
      {
        kind: "branch",
        when: { activity: "opened", within_days: 14 },
        then_steps: [
          email("Ten percent for your first pot", "A small thank you", "<p>use TEAPOT at the checkout.</p>"),
        ],
        else_steps: [{ kind: "notify", message: "A subscriber has read nothing so far" }],
      },
    ],
  });
  past.plan(begin + HOUR_MS, async () => {
    const { id } = await createAutomation(caller, input);
    await activateAutomation(caller, id);
    for (let at = begin + 2 * HOUR_MS; at < end; at += 3 * HOUR_MS) past.plan(at, () => past.runAutomations());
  });
  for (let day = 1; timeOf(shop, day, 22) < end; day++)
    past.plan(timeOf(shop, day, 22), () => planReaders(shop, timeOf(shop, day - 1, 22)));
}

const FIND_EMAILS =
  "SELECT id FROM emails WHERE workspace = ?1 AND source = 'automation' AND created_at >= ?2 AND status = 'delivered' ORDER BY n";

async function planReaders(shop: Shop, since: number): Promise<void> {
  const { caller, random } = shop;
  const { results } = await caller.outbox
    .prepare(FIND_EMAILS)
    .bind(caller.workspace.number, since)
    .all<{ id: string }>();
  for (const { id } of results) if (random() < 0.7) planHits(shop, id, { opened: random() * 0.5 * DAY_MS, url: null });
}
