/** How soon the owner of an email learns of its refusal, on the whole path from the API to a mail system and back. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemsOf } from "./support/egress-internet/systems.ts";
import { startWorkerRig, type WorkerRig } from "./support/egress-internet/worker-rig.ts";

const TRIES = 15;

let rig: WorkerRig;
beforeAll(async () => {
  const reply = "550 5.1.1 no such user";
  rig = await startWorkerRig({ systems: systemsOf("q", 1, {}, 60), replyTo: () => ({ phase: "rcpt", reply }) });
}, 120_000);
afterAll(async () => {
  await rig?.close();
});

/** Returns how long after its 202 an email is seen as bounced, in ms. */
async function bounceMs(n: number): Promise<number> {
  const id = await rig.send(`r${n}@q-0.test`);
  const acceptedAt = Date.now();
  for (;;) {
    const { status } = await rig.read(id);
    if (status === "bounced") return Date.now() - acceptedAt;
    await sleep(20);
  }
}

it("a refusal by the recipient's server is an event within a second of the 202, which includes hand-over and delivery", async () => {
  const times: number[] = [];
  for (let n = 0; n < TRIES; n++) times.push(await bounceMs(n));
  times.sort((a, b) => a - b);
  console.log(`refusals were events after ${times.join(", ")} ms`);
  expect(times[Math.floor(TRIES / 2)]).toBeLessThan(1_000);
});
