import type { CallerCtx } from "../../access/caller.ts";
import { fromBase64Url, toBase64Url, utf8 } from "../../lib/bytes.ts";
import { mac, verifyMac } from "../../lib/mac.ts";

const PURPOSE = "webmail-result";

/** Bytes of the MAC that are in the query. */
const MAC_BYTES = 16;

/** Returns the query of the page after an action, signed: a foreign link must not say that messages were deleted, or offer an Undo. */
export async function signResult(
  { settings }: CallerCtx,
  mailboxId: string,
  query: Record<string, string>,
): Promise<Record<string, string>> {
  const whole = await mac(settings.masterKeys, PURPOSE, toBytes(mailboxId, query));
  return { ...query, sign: toBase64Url(whole.subarray(0, MAC_BYTES)) };
}

/** Returns whether a page of this mailbox has made a query. */
export async function isSigned({ settings }: CallerCtx, mailboxId: string, query: Record<string, string>) {
  const given = fromBase64Url(query.sign ?? "");
  return (
    given?.length === MAC_BYTES && (await verifyMac(settings.masterKeys, PURPOSE, toBytes(mailboxId, query), given))
  );
}

const toBytes = (mailboxId: string, { done = "", n = "", to = "", undo = "" }: Record<string, string>) =>
  utf8(JSON.stringify([mailboxId, done, n, to, undo]));
