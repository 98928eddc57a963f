import { eventually } from "../gateway-rig.ts";
import type { Site } from "../pages.ts";
import { linkIn, mailTo } from "../story-site.ts";
import { ADDRESS, PERSON, WORD } from "./names.ts";
import { BLOCKS } from "./seed-sending.ts";

/** Creates lists, people, segments, topics, forms and automations that people walk through. Returns their ids. */
export async function seedAudience(site: Site) {
  const { call, workspace } = site;
  const create = async (path: string, body: object) => (await call("POST", path, body)).id;
  const list = await create("/v1/contacts/", {
    name: "Customers",
    description: "Everyone who bought something in our web shop",
  });
  const empty = await create("/v1/contacts/", { name: WORD });
  const confirmed = await create("/v1/contacts/", { name: "Tea letter", confirm: true });
  const topic = await create("/v1/topics/", {
    name: "Product news",
    description: "What has arrived, once a month",
    is_public: true,
  });
  const conditions = {
    all: [{ field: "plan", is: "equals", value: "gold" }, { not: { activity: "opened", within_days: 30 } }],
  };
  const segment = await create("/v1/segments/", { name: "Gold, and opened nothing for a month", conditions });
  const automation = await create("/v1/automations/", welcome(workspace.mailboxId, topic));
  await call("POST", `/v1/automations/${automation}/activate`);
  const series = welcome(workspace.mailboxId, topic);
  const steps = [{ ...series.steps[0], blocks_json: BLOCKS }, ...series.steps.slice(1)];
  const draft = await create("/v1/automations/", { ...series, steps, name: `Draft ${WORD}` });
  const people = [
    [ADDRESS, PERSON],
    ...Array.from({ length: 24 }, (_, n) => [`person${n}@example.org`, `Person ${n}`]),
  ];
  const contacts = await Promise.all(
    people.map(([email, name]) =>
      create(`/v1/contacts/${list}/contacts`, {
        email,
        name,
        metadata: { city: "Bad Oeynhausen", plan: "gold", orders: 7 },
      }),
    ),
  );
  await Promise.all(
    people
      .slice(0, 3)
      .map(([email]) =>
        call("POST", "/v1/events", { name: "order.paid", email, data: { order_id: "A-1001", total: 42.5 } }),
      ),
  );
  const fields = [{ name: "name", label: "Your name" }];
  const form = await call<{ id: string; url: string }>("POST", `/v1/contacts/${confirmed}/forms`, {
    ...{ name: "Footer of the shop", title: "News of the shop", text: "Once a month we tell you what is new.", fields },
  });
  await call("DELETE", `/v1/people/${encodeURIComponent("person9@example.org")}`);
  const erasures = await site.ctx.db
    .prepare("SELECT id FROM erasures WHERE workspace = ?1")
    .bind(workspace.workspaceNumber)
    .all<{ id: string }>();
  await call("POST", `/v1/contacts/${confirmed}/contacts`, { email: "confirm@example.org" });
  const run = await eventually(async () => {
    await site.host.scheduled("* * * * *");
    const runs = await call<{ id: string; wait_until: string | null }[]>("GET", `/v1/automations/${automation}/runs`);
    return runs.find(({ wait_until }) => wait_until !== null);
  });
  return {
    ...{
      list_id: list,
      "list_id.empty": empty,
      "list_id.confirmed": confirmed,
      contact_id: contacts[0],
      topic_id: topic,
    },
    ...{ segment_id: segment, automation_id: automation, "automation_id.draft": draft, run_id: run.id, step: "0" },
    ...{ form_id: form.id, erasure_id: erasures.results[0]?.id, "token.form": lastPart(form.url) },
    "token.confirm": lastPart(linkIn(await mailTo(site, "confirm@example.org"), /\/c\//)),
  };
}

const lastPart = (url: string) => new URL(url, "http://host").pathname.split("/").at(-1);

/** Nine hours (UTC) that begin in eleven: the run sends its first email at every time of the day. */
function quietHours() {
  const inHours = (hours: number) => `${String((new Date().getUTCHours() + hours) % 24).padStart(2, "0")}:00`;
  return { from: inHours(11), to: inHours(20) };
}

/** An automation with five steps, of which one has branches. */
const welcome = (mailbox_id: string, topic_id: string) => {
  const email = (subject: string) => ({ kind: "send_email", mailbox_id, topic_id, subject, text: `Hello {{name}}` });
  return {
    name: "Welcome series",
    trigger: { event: "order.paid" },
    entry: { mode: "every", quiet_hours: quietHours() },
    steps: [
      email("Welcome to the tea letter"),
      { kind: "wait", for: { days: 3 } },
      email(`How to brew a pot that is not bitter: ${WORD}`),
      {
        kind: "branch",
        when: {
          any: [
            { activity: "opened", within_days: 14 },
            { field: "plan", is: "equals", value: "gold" },
          ],
        },
        then_steps: [email("Ten percent for your first pot"), { kind: "wait", for: { hours: 12 } }],
        else_steps: [{ kind: "notify", message: "A subscriber has read nothing so far" }],
      },
      email("Good bye"),
    ],
  };
};
