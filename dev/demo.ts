// `npm run demo`: sends one email through the local service and prints its delivery. `npm run demo -- bounce` then
// reports a bounce and prints its effect. `npm run demo -- list` sends a broadcast to a list, of which one contact
// unsubscribes. Exits with 0 only if everything reached the expected status.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readArguments } from "./arguments.ts";
import { type EmailDetail, fetchDetail, listSuppressions, postReport, sendMail } from "./demo/api.ts";
import { readBounceReport } from "./demo/bounce-report.ts";
import { type ArrivedMail, findCaptured } from "./demo/captured.ts";
import { showList } from "./demo/list.ts";
import { openService } from "./demo/open-service.ts";
import type { LocalService } from "./local-file.ts";

const TIMEOUT_MS = 30_000;
const POLL_MS = 150;
const BODY_LINES = 5;
const FINAL = ["delivered", "bounced", "rejected", "failed", "cancelled"];

const { positionals } = readArguments({ usage: "demo [-- bounce|list]", allowPositionals: true });
const [mode = "delivery"] = positionals;
if (!["delivery", "bounce", "list"].includes(mode)) {
  console.error(`Unknown demo "${mode}". Run "npm run demo", "npm run demo -- bounce" or "npm run demo -- list".`);
  process.exit(1);
}
const service = await openService().catch((error: Error) => {
  console.error(`The demo failed: ${error.message}`);
  process.exit(1);
});
let code = 1;
try {
  const deadline = Date.now() + TIMEOUT_MS;
  if (mode === "list") {
    await showList(service.local, deadline);
  } else {
    const { id, mail } = await showDelivery(service.local, deadline);
    if (mode === "bounce") await showBounce(service.local, id, mail, deadline);
    if (!service.isTemporary)
      console.log(`\nThe email in a browser: ${service.local.captured_mail_url}/view/${mail.id}`);
  }
  if (service.isTemporary)
    console.log("\nTo see the mail in a browser, run npm start, and the demo in a second terminal.");
  code = 0;
} catch (error) {
  console.error(`\nThe demo failed: ${(error as Error).message}`);
} finally {
  await service.close();
}
process.exit(code);

async function showDelivery(local: LocalService, deadline: number): Promise<{ id: string; mail: ArrivedMail }> {
  // The bounce puts its recipient on the suppression list, so each run needs another one.
  const label = mode === "bounce" ? `.${randomUUID().slice(0, 8)}` : "";
  const accepted = await sendMail(local, `ada${label}@example.org`);
  console.log(`\nPOST /v1/emails/ responded with 202\n  id ${accepted.id}, status ${accepted.status}`);
  const email = await waitForStatus(local, accepted.id, "delivered", deadline);
  const mail = await findCaptured(local, accepted.message_id);
  console.log("\nThe local mail server received the message:");
  console.log(`  From     ${mail.from}\n  To       ${mail.to}\n  Subject  ${mail.subject}`);
  console.log(`  ${mail.signature}\n`);
  for (const line of mail.text.split("\n").slice(0, BODY_LINES)) console.log(`  | ${line}`);
  printTimeline(email);
  const milliseconds = Date.parse(email.delivered_at ?? "") - Date.parse(email.created_at);
  console.log(`\nDelivered ${milliseconds} ms after it was accepted.`);
  return { id: accepted.id, mail };
}

async function showBounce(local: LocalService, id: string, mail: ArrivedMail, deadline: number): Promise<void> {
  console.log(`\nA bounce report is sent to the return path\n  ${mail.returnPath}`);
  await postReport(local, mail.returnPath, await readBounceReport(mail));
  printTimeline(await waitForStatus(local, id, "bounced", deadline));
  const suppression = (await listSuppressions(local)).find(({ email }) => email === mail.recipient);
  if (!suppression) throw new Error(`${mail.recipient} is not on the suppression list`);
  console.log(`\nThe suppression list has ${suppression.email}, reason ${suppression.reason}.`);
}

function printTimeline({ id, created_at, events }: EmailDetail): void {
  console.log(`\nTimeline, from GET /v1/emails/${id}/events`);
  const first = Date.parse(events[0]?.created_at ?? created_at);
  for (const event of events) {
    const after = `+${Date.parse(event.created_at) - first} ms`.padStart(9);
    console.log(`  ${event.created_at}  ${after}  ${event.event_type}`);
  }
}

/** Polls the email until it has `expected` and prints each status change. Throws when it ends otherwise or time is up. */
async function waitForStatus(local: LocalService, id: string, expected: string, deadline: number) {
  let shown = "";
  for (; Date.now() < deadline; await sleep(POLL_MS)) {
    const email = await fetchDetail(local, id);
    if (email.status !== shown) console.log(`  status ${email.status}`);
    shown = email.status;
    if (email.status === expected) return email;
    if (FINAL.includes(email.status) && email.status !== "delivered") break;
  }
  const { events } = await fetchDetail(local, id);
  throw new Error(`the status of the email is ${shown}, not ${expected}. Last event: ${JSON.stringify(events.at(-1))}`);
}
