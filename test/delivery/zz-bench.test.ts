import { it } from "vitest";
import { createHash } from "node:crypto";
import { compose } from "../../src/delivery/compose/index.ts";
import { BodyHash } from "../../src/delivery/sign/canonical.ts";
import { generateDkimKeyPair, signMessage } from "../../src/delivery/sign/index.ts";
const rsa = await generateDkimKeyPair("rsa-sha256");
const ed = await generateDkimKeyPair("ed25519-sha256");
const R = { id: "r", selector: "r", algorithm: "rsa-sha256" as const, pkcs8: () => rsa.pkcs8 };
const E = { id: "e", selector: "e", algorithm: "ed25519-sha256" as const, pkcs8: () => ed.pkcs8 };
function mail(n: number, attach: number, utf8 = false) {
  const line = utf8 ? "The quick bröwn fox jumps over the lazy dog, 0123456789 again and again.\n" : "The quick brown fox jumps over the lazy dog, 0123456789 again and again.\n";
  const src = new Uint8Array(65536).fill(77);
  return { id: "01989a3e-5c1f-7000-8000-000000000001", messageId: "<1@x.test>", date: new Date(), from: { email: "a@x.test", name: "Ann Lee" },
    to: [{ email: "b@y.test", name: "Bob" }], cc: [], subject: "Hello there, this is a subject", headers: [["List-Unsubscribe", "<https://x.test/u/123456789>"], ["List-Unsubscribe-Post", "List-Unsubscribe=One-Click"]] as [string, string][],
    text: line.repeat(Math.ceil(n / 2 / line.length)), html: line.repeat(Math.ceil(n / 2 / line.length)),
    attachments: attach === 0 ? [] : [{ filename: "a", contentType: "a/b", disposition: "attachment" as const, size: attach, open: async function* () { for (let i = 0; i < attach; i += 65536) yield src.subarray(0, Math.min(65536, attach - i)); } }] };
}
const by = { domain: "x.test", now: new Date(), fleeting: true };
async function run(label: string, n: number, m: ReturnType<typeof mail>, keys: any[], read = true) {
  for (let round = 0; round < 2; round++) {
    const t = performance.now(); const c = Date.now();
    for (let i = 0; i < n; i++) {
      const o = await signMessage(compose(m, { smtpUtf8: false, eightBitMime: false }), keys, by);
      if (read) for await (const _ of o.chunks()) {}
    }
    console.log(label, ((performance.now() - t) / n).toFixed(3), "ms");
  }
}
it("bench", { timeout: 300000 }, async () => {
  await run("10KB none", 2000, mail(10000, 0), []);
  await run("10KB none qp", 1000, mail(10000, 0, true), []);
  await run("10KB ed", 1000, mail(10000, 0), [E]);
  await run("10KB rsa", 1000, mail(10000, 0), [R]);
  await run("10KB both", 1000, mail(10000, 0), [R, E]);
  await run("1MB text rsa", 30, mail(1e6, 0), [R]);
  await run("1MB file none", 30, mail(1000, 1e6), []);
  await run("1MB file rsa", 30, mail(1000, 1e6), [R]);
  await run("1MB file both", 30, mail(1000, 1e6), [R, E]);
  await run("24MiB none (pass 2 only)", 3, mail(1000, 24 << 20), []);
  await run("24MiB rsa (both passes)", 3, mail(1000, 24 << 20), [R]);
  await run("24MiB both keys (both passes)", 3, mail(1000, 24 << 20), [R, E]);
  const key = await crypto.subtle.importKey("pkcs8", rsa.pkcs8, { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }, false, ["sign"]);
  let t = performance.now(); for (let i = 0; i < 1000; i++) await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key, new Uint8Array(500)); console.log("rsa op", (performance.now() - t) / 1000);
  const small = new Uint8Array(10000).fill(65), big = new Uint8Array(80000).fill(65);
  t = performance.now(); for (let i = 0; i < 5000; i++) createHash("sha256").update(small).digest(); console.log("createHash 10KB ms", (performance.now() - t) / 5000);
  t = performance.now(); for (let i = 0; i < 5000; i++) { const d = new crypto.DigestStream("SHA-256"); const w = d.getWriter(); w.write(small); w.close(); await d.digest; } console.log("DigestStream 10KB ms", (performance.now() - t) / 5000);
  t = performance.now(); for (let i = 0; i < 5000; i++) await crypto.subtle.digest("SHA-256", small); console.log("subtle 10KB ms", (performance.now() - t) / 5000);
  t = performance.now(); { const h = createHash("sha256"); for (let i = 0; i < 430; i++) h.update(big); h.digest(); } console.log("createHash 34MB ms", (performance.now() - t));
  t = performance.now(); { const d = new crypto.DigestStream("SHA-256"); const w = d.getWriter(); for (let i = 0; i < 430; i++) await w.write(big); await w.close(); await d.digest; } console.log("DigestStream 34MB ms", (performance.now() - t));
  t = performance.now(); { const h = new BodyHash(); for (let i = 0; i < 430; i++) h.update(big); h.digest(); } console.log("BodyHash dense 34MB ms", (performance.now() - t));
});
