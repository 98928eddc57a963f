import { it } from "vitest";
import { parseEgressUrl } from "../../../src/delivery/smtp/egress-url.ts";
import { smtpTransport } from "../../../src/delivery/smtp/transport.ts";
import { envelopeTo, plainMail } from "../../support/outgoing-mail.ts";
import { sinkServer } from "../../support/smtp-control.ts";
it("bench", async () => {
  const N = 3000;
  const mail = plainMail("bench", 10_240);
  const lock = ["SIZE 26214400", "8BITMIME"];
  const rows: string[] = [];
  for (const latencyMs of [0, 5]) for (let round = 0; round < 3; round++)
  for (const conns of [1, 4]) {
    for (const mode of ["lockstep", "pipelined", "deep"]) {
      const n = latencyMs ? 300 : N;
      const server = await sinkServer({ countOnly: true, latencyMs, ...(mode === "lockstep" ? { capabilities: lock } : {}) });
      const t0 = Date.now();
      await Promise.all(Array.from({ length: conns }, async () => {
        const c = await smtpTransport(parseEgressUrl(server.url)).open();
        const depth = mode === "deep" ? 2 : 1;
        let left = n / conns;
        await Promise.all(Array.from({ length: depth }, async () => {
          while (left-- > 0) {
            const r = await c.send(envelopeTo("b@r.test"), mail);
            if (r.recipients[0]?.kind !== "accepted") throw new Error(JSON.stringify(r));
          }
        }));
        await c.close();
      }));
      const ms = Date.now() - t0;
      const k = await server.counters();
      rows.push(`lat=${latencyMs} round=${round} c=${conns} ${mode}: ${Math.round((n / ms) * 1000)}/s accepted=${k.accepted} reads=${k.reads}`);
      await server.close();
    }
  }
  console.log(rows.join("\n"));
}, 200_000);
