import { HOUR_MS } from "../../src/lib/time.ts";
import { receiveMail } from "../../src/mailboxes/inbound/index.ts";
import { openMailbox, SendIn, sendFromMailbox } from "../../src/mailboxes/inbox/index.ts";
import { type Conversation, conversations, type Letter } from "./letters.ts";
import { SHOP, type Shop } from "./shop.ts";

/** Plans the conversations of the mailbox: what arrives, and what the shop answers. */
export function planInbox(shop: Shop): void {
  for (const [index, conversation] of conversations.entries()) {
    for (const [place, letter] of conversation.letters.entries()) {
      const at = shop.end - letter.hoursAgo * HOUR_MS;
      shop.past.plan(at, () =>
        letter.isOurs ? answer(shop, conversation, index) : arrive(shop, conversation, letter, { index, place }),
      );
    }
  }
}

/** The shop marks what it has read: what needs no answer, and the first letter of what it has answered. */
export async function markRead({ caller, hello }: Shop): Promise<void> {
  const { store } = await openMailbox(caller, hello.id);
  const page = await store.list("INBOX", { limit: 50, offset: 0 });
  const read = conversations.filter(({ isRead, letters }) => isRead || letters.some(({ isOurs }) => isOurs));
  for (const { uid, subject } of page?.items ?? [])
    if (read.some((one) => one.subject === subject)) await store.setFlags("INBOX", [uid], { seen: true });
}

const idOf = (index: number, place: number, domain: string) => `<letter-${index}-${place}@${domain}>`;

async function arrive(
  shop: Shop,
  { subject, from, isSpam }: Conversation,
  letter: Letter,
  at: { index: number; place: number },
) {
  const { past, hello } = shop;
  const domain = from.email.split("@")[1] ?? "";
  const bytes = new TextEncoder().encode(
    toMessage(letter, {
      From: `${encodeWord(from.name)} <${from.email}>`,
      To: `${encodeWord(SHOP.name)} <${hello.address}>`,
      Subject: encodeWord(at.place === 0 ? subject : `Re: ${subject}`),
      Date: new Date(past.ctx.now()).toUTCString().replace("GMT", "+0000"),
      "Message-ID": idOf(at.index, at.place, domain),
      ...(at.place > 0 ? { "In-Reply-To": idOf(at.index, 0, domain), References: idOf(at.index, 0, domain) } : {}),
    }),
  );
  async function* raw() {
    yield bytes;
  }
  const result = isSpam ? "fail" : "pass";
  await receiveMail(past.ctx, {
    from: from.email,
    to: hello.address,
    raw: raw(),
    size: bytes.length,
    isSpam: isSpam === true,
    authentication: {
      spf: { result, domain },
      dkim: isSpam ? [] : [{ result, domain, selector: "mail" }],
      dmarc: { result, domain },
      dmarc_policy: "none",
      arc: null,
    },
  });
}

async function answer({ caller, hello }: Shop, { subject, from, letters }: Conversation, index: number): Promise<void> {
  const text = letters.find(({ isOurs }) => isOurs)?.text;
  const domain = from.email.split("@")[1] ?? "";
  const reply = { to: [from.email], subject: `Re: ${subject}`, text, in_reply_to: idOf(index, 0, domain) };
  await sendFromMailbox(caller, await openMailbox(caller, hello.id), SendIn.parse(reply));
}

function toMessage({ text, html, file }: Letter, headers: Record<string, string>): string {
  const parts = [
    `Content-Type: text/plain; charset=utf-8\n\n${text}\n`,
    ...(html ? [`Content-Type: text/html; charset=utf-8\n\n${html}\n`] : []),
    ...(file
      ? [
          `Content-Type: ${file.type}; name="${file.name}"\nContent-Disposition: attachment; filename="${file.name}"\nContent-Transfer-Encoding: base64\n\n${file.base64}\n`,
        ]
      : []),
  ];
  const type = `multipart/${file ? "mixed" : "alternative"}; boundary="part"`;
  const head = Object.entries({ ...headers, "MIME-Version": "1.0", "Content-Type": type }).map(
    ([name, value]) => `${name}: ${value}\n`,
  );
  return `${head.join("")}\n${parts.map((part) => `--part\n${part}`).join("")}--part--\n`.replaceAll("\n", "\r\n");
}

/** Encodes a text of a header (RFC 2047). */
function encodeWord(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return `=?utf-8?B?${btoa(String.fromCharCode(...new TextEncoder().encode(text)))}?=`;
}
