import { openDkimKey } from "../../../domains/domains/index.ts";
import type { SigningKey } from "../../../mail/dkim/keys.ts";
import { signMessage } from "../../../mail/dkim/sign.ts";
import type { Capabilities, OutgoingMessage } from "../../../mail/smtp/transport.ts";
import type { MailCtx } from "../../../platform/context.ts";
import type { ContentDocument } from "../../emails/index.ts";
import type { ClaimedMail, DkimKeyRow } from "../claim/index.ts";
import { composeMail, PermanentError } from "./compose-mail.ts";

/** A message for the transport, and what its outcome's metadata tells about it. */
export interface PreparedMessage extends OutgoingMessage {
  /** Links that are not tracked because the email has too many. */
  untrackedLinks: number;
  /** R2 reads of its preparation and of sending it once. */
  objectReads: number;
  /** R2 reads of sending it once more. */
  readsPerSend: number;
}

/**
 * Composes and signs an email for a server with these capabilities. `content` is null when it was deleted. Throws PermanentError
 * or ComposeError when it can never be sent; any other error may be temporary.
 */
export async function prepareMessage(
  ctx: MailCtx,
  mail: ClaimedMail & { content: ContentDocument | null },
  keys: readonly DkimKeyRow[],
  capabilities: Pick<Capabilities, "smtpUtf8" | "eightBitMime">,
): Promise<PreparedMessage> {
  const { content } = mail;
  const { domain } = mail.sender;
  if (!content) throw new PermanentError("the content of the email was deleted");
  if (keys.length === 0 || domain === null) throw new PermanentError("the domain has no DKIM key");
  const { composed, hasCfblAddress, ...counts } = await composeMail(ctx, { ...mail, content }, capabilities, "opened");
  const signingKeys = toSigningKeys(ctx, keys, hasCfblAddress);
  // The transport copies each chunk before it asks for the next.
  const message = await signMessage(composed, signingKeys, { domain, now: new Date(ctx.now()), reuseBuffer: true });
  return { ...message, ...counts };
}

/**
 * Returns the keys of a message: those of its sender, which open their private part when they sign, and for mail with a CFBL-Address
 * that of the domain of this address (RFC 9477 3.1.3).
 */
export function toSigningKeys(ctx: MailCtx, keys: readonly DkimKeyRow[], hasCfblAddress: boolean): SigningKey[] {
  const { cfblKey, bounceDomain } = ctx.settings;
  return [
    ...keys.map((key) => ({
      id: key.id,
      selector: key.selector,
      algorithm: key.algorithm,
      pkcs8: () => openDkimKey(ctx, key.id, key.private_key),
    })),
    ...(hasCfblAddress && cfblKey
      ? [{ ...cfblKey, algorithm: "rsa-sha256" as const, domain: bounceDomain, pkcs8: () => cfblKey.pkcs8 }]
      : []),
  ];
}
