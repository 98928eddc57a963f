// `npm run demo`: sends one email through the local service and prints its delivery. Exits with 0 only if it was delivered.

import { setTimeout as sleep } from "node:timers/promises";
import { type EmailDetail, fetchDetail, sendMail } from "./demo/api.ts";
import { findCaptured } from "./demo/captured.ts";
import { openService } from "./demo/open-service.ts";
import type { LocalService } from "./local-file.ts";

const TIMEOUT_MS = 30_000;
const POLL_MS = 150;
const BODY_LINES = 5;

const service = await openService();
let code = 1;
try {
  await demo(service.local);
  code = 0;
} catch (error) {
  console.error(`\nThe demo failed: ${(error as Error).message}`);
} finally {
  await service.close();
}
process.exit(code);

async function demo(local: LocalService) {
  const deadline = Date.now() + TIMEOUT_MS;
  const accepted = await sendMail(local);
  console.log(`\nPOST ${local.base_url}/emails/ answered 202\n  id ${accepted.id}, status ${accepted.status}`);

  const email = await waitUntilDelivered(local, accepted.id, deadline);
  const captured = await findCaptured(local, accepted.message_id);
  console.log(`\nThe local egress received the message: ${local.captured_mail_url}/view/${captured.id}`);
  console.log(`  From     ${captured.from}\n  To       ${captured.to}\n  Subject  ${captured.subject}`);
  console.log(`  ${captured.signature}\n`);
  for (const line of captured.text.split("\n").slice(0, BODY_LINES)) console.log(`  | ${line}`);

  console.log(`\nTimeline, from ${local.base_url}/emails/${accepted.id}/events`);
  const first = Date.parse(email.events[0]?.created_at ?? email.created_at);
  for (const event of email.events) {
    const after = `+${Date.parse(event.created_at) - first} ms`.padStart(9);
    console.log(`  ${event.created_at}  ${after}  ${event.event_type}`);
  }
  console.log(
    `\nDelivered ${Date.parse(email.delivered_at ?? "") - Date.parse(email.created_at)} ms after it was accepted.`,
  );
}

/** Polls the email until it is delivered and prints each status change. Throws when it ends otherwise or time is up. */
async function waitUntilDelivered(local: LocalService, id: string, deadline: number): Promise<EmailDetail> {
  let shown = "";
  for (; Date.now() < deadline; await sleep(POLL_MS)) {
    const email = await fetchDetail(local, id);
    if (email.status !== shown) console.log(`  status ${email.status}`);
    shown = email.status;
    if (email.status === "delivered") return email;
    if (["bounced", "rejected", "failed", "cancelled"].includes(email.status)) break;
  }
  const { events } = await fetchDetail(local, id);
  throw new Error(`the status of the email is ${shown}, not delivered. Last event: ${JSON.stringify(events.at(-1))}`);
}
