import { onShard } from "../../src/platform/jobs/shards.ts";
import { type HitMessage, recordHits } from "../../src/sending/tracking/index.ts";
import type { Shop } from "./shop.ts";

const READERS = [
  "Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148",
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.0",
];

/** Plans that the recipient opens an email after so many ms, and a minute later follows a link, unless that is in the future. */
export function planHits(shop: Shop, email: string, { opened, url }: { opened: number; url: string | null }): void {
  const { past, caller, random, end } = shop;
  const { number: workspace } = caller.workspace;
  const client = { ua: READERS[Math.floor(random() * 3)] ?? "", ip: `192.0.2.${1 + Math.floor(random() * 250)}` };
  const record = (kind: HitMessage["kind"], extra: Pick<HitMessage, "url"> = {}) => {
    const hit = { type: "hit.v1", id: past.ctx.newId(), kind, workspace, email, recipient: 0, at: past.ctx.now() };
    return recordHits(onShard(past.ctx, caller.workspace.mailShard), [{ ...hit, ...client, ...extra } as HitMessage]);
  };
  const at = past.ctx.now() + 120_000 + opened;
  if (at < end) past.plan(at, () => record("open"));
  if (url !== null && at + 60_000 < end) past.plan(at + 60_000, () => record("click", { url }));
}
