/** Compares the CPU of a broadcast with conditions in Liquid with that of the same one with placeholders, in turn. */
import { insertList, waitFor } from "./broadcasts.ts";
import type { Bench, Deployment } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { percentile, type Row } from "./table.ts";

const CONTACTS = 20_000;
const ROUNDS = 3;
const BUDGET = 1.3;
const COUNTED = "SELECT coalesce(sum(queued), 0) AS n FROM broadcast_counts";
const WAITING = "SELECT coalesce(sum(queued - attempted), 0) AS n FROM broadcast_counts";

/** Two contents that are the same for these contacts, who have a name and no metadata. */
const CONTENTS = {
  placeholders: {
    subject: "News for {{name}}",
    html_body: '<p>Hello {{name}}</p><p>These are the news.</p><p><a href="https://example.com/news">News</a></p>',
    text_body: "Hello {{name}}. These are the news.",
  },
  liquid: {
    subject: "News for {% if name != blank %}{{ name }}{% else %}you{% endif %}",
    html_body:
      "<p>Hello {{ name | default: 'you' }}</p>{% if plan == 'pro' %}<p>You are pro.</p>{% elsif city %}<p>{{ city }}</p>" +
      '{% else %}<p>These are the news.</p>{% endif %}<p><a href="https://example.com/news">News</a></p>',
    text_body: "Hello {{ name }}. {% if plan == 'pro' %}You are pro.{% else %}These are the news.{% endif %}",
  },
} as const;
type Language = keyof typeof CONTENTS;

export async function measureBroadcastLanguages({ deployment }: Bench): Promise<Row[]> {
  const list = await insertList(deployment, CONTACTS);
  // The first broadcast compiles the code of both.
  for (const language of ["placeholders", "liquid"] as const) await send(deployment, list, language);
  const ratios: number[] = [];
  const costs: Record<Language, number[]> = { placeholders: [], liquid: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const order: Language[] = round % 2 === 0 ? ["placeholders", "liquid"] : ["liquid", "placeholders"];
    const spent: Partial<Record<Language, number>> = {};
    for (const language of order) spent[language] = await send(deployment, list, language);
    const { placeholders = Number.NaN, liquid = Number.NaN } = spent;
    costs.placeholders.push(placeholders);
    costs.liquid.push(liquid);
    ratios.push(liquid / placeholders);
  }
  const ratio = percentile(ratios, 50);
  const each = (language: Language) => percentile(costs[language], 50).toFixed(2);
  return [
    {
      what: `CPU of a broadcast with conditions in Liquid, of that of one with placeholders: median of ${ROUNDS} pairs of ${CONTACTS.toLocaleString("en")} emails`,
      value: `${ratio.toFixed(2)} (${each("liquid")} and ${each("placeholders")} ms an email; ${ratios.map((one) => one.toFixed(2)).join(", ")})`,
      budget: String(BUDGET),
      isMet: ratio <= BUDGET,
    },
  ];
}

/** Sends a broadcast to a list until all its emails are delivered. Returns the milliseconds of CPU of workerd for each. */
async function send(deployment: Deployment, contact_list_id: string, language: Language): Promise<number> {
  const [before] = await deployment.sql<{ n: number }>(COUNTED);
  const response = await deployment.call("POST", "/v1/broadcasts/", {
    ...{ name: language, language, from_address: deployment.seed.mailbox, contact_list_id },
    ...CONTENTS[language],
  });
  if (!response.ok) throw new Error(`the broadcast is refused: ${await response.text()}`);
  const { id } = (await response.json()) as { id: string };
  const started = await cpuMs(deployment.host.workerdPid);
  await deployment.call("POST", `/v1/broadcasts/${id}/send`);
  await waitFor(deployment, COUNTED, (n) => n >= (before?.n ?? 0) + CONTACTS);
  await waitFor(deployment, WAITING, (n) => n === 0);
  await deployment.waitUntilDrained();
  return ((await cpuMs(deployment.host.workerdPid)) - started) / CONTACTS;
}
