/** Replies of real mail systems on the whole path: accepted by the API, refused or taken by a server, and shown as an event. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { MailSystem } from "../../dev/internet/index.ts";
import { type ProviderReply, providerReplies } from "../egress/provider-replies.ts";
import { type ApiEmail, startWorkerRig, type WorkerRig } from "./support/egress-internet/worker-rig.ts";
import { eventually } from "./support/gateway-rig.ts";

/** A row with a server of its own, at a host of the provider: `r7.google.com`. */
interface Served extends ProviderReply {
  name: string;
  system: MailSystem;
}

const rows = providerReplies.map((row, n): Served => {
  const name = `r${n}`;
  // The parent of the host names a receiver without an entry in the table.
  const mx = row.receiver.includes(".") ? row.mx.replace(/^[^.]+/, name) : `${name}.${row.mx}`;
  const behaviour =
    row.phase === "greeting" ? { blocked: { at: "greeting" as const, reply: row.reply } } : mailBehaviour(row);
  return {
    ...row,
    name,
    system: { name, domains: [`${name}.test`], mx: [mx], address: `127.0.40.${n + 1}`, behaviour },
  };
});

function mailBehaviour({ phase, reply }: ProviderReply): MailSystem["behaviour"] {
  return phase === "mail" ? { blocked: { at: "mail", reply } } : {};
}

/** Rows whose replies do not slow down their receiver go together; of the others one of each receiver at a time. */
function waves(): Served[][] {
  const pacing = [
    ...Map.groupBy(
      rows.filter(({ paces }) => paces),
      ({ receiver }) => receiver,
    ).values(),
  ];
  const count = Math.max(...pacing.map(({ length }) => length));
  const each = Array.from({ length: count }, (_, n) => pacing.flatMap((group) => group.slice(n, n + 1)));
  return [rows.filter(({ paces }) => !paces), ...each];
}

let rig: WorkerRig;
beforeAll(async () => {
  const replies = new Map(rows.map(({ name, phase, reply }) => [`ann@${name}.test`, { phase, reply }]));
  rig = await startWorkerRig({
    systems: rows.map(({ system }) => system),
    replyTo(address) {
      const found = replies.get(address);
      if (!found || found.phase === "greeting" || found.phase === "mail") return undefined;
      return { phase: found.phase, reply: found.reply };
    },
  });
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

/** Status and last event of an email in each state. */
const EXPECTED = {
  delivered: ["delivered", "delivered"],
  hard: ["bounced", "bounced"],
  soft: ["bounced", "bounced"],
  rejected: ["rejected", "rejected"],
  deferred: ["queued", "deferred"],
} as const;

it("each reply makes the right state, and the event shows it word by word", async () => {
  for (const wave of waves()) {
    await rig.restartEgress();
    const sent = await Promise.all(wave.map(async (row) => ({ row, id: await rig.send(`ann@${row.name}.test`) })));
    for (const { row, id } of sent) await expectState(row, id);
  }
});

async function expectState(row: Served, id: string): Promise<void> {
  const about = `${row.receiver}, ${row.phase}: ${row.reply}`;
  let email: ApiEmail | undefined;
  const last = await eventually(async () => {
    email = await rig.read(id);
    return email.events.findLast(({ metadata }) => metadata?.response !== undefined);
  }).catch(() => expect.fail(`${about}\nhas no event: ${JSON.stringify(email)}`));
  const [status, type] = EXPECTED[row.state];
  expect.soft([email?.status, last.event_type], about).toEqual([status, type]);
  expect.soft(last.metadata.response, about).toBe(wordsOf(row.reply));
  // The short form of a delivery has no field for it.
  if (row.state !== "delivered") expect.soft(last.metadata.receiver, about).toBe(row.receiver);
  if (row.state === "hard" || row.state === "soft") expect.soft(last.metadata.bounce_type, about).toBe(row.state);
}

/** Returns a reply as one text: the code once, and the enhanced code once. */
function wordsOf(reply: string): string {
  const lines = reply.split("\n").map((line) => /^\d{3}[ -](?:([245]\.\d+\.\d+)(?: |$))?(.*)$/.exec(line) ?? []);
  const enhanced = lines[0]?.[1];
  return [reply.slice(0, 3), enhanced, lines.map(([, , text]) => text).join(" ")].filter(Boolean).join(" ");
}
