import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { readJson, writeDurably } from "../state/files.ts";

/** A captured mail's envelope, as it was at MAIL FROM and RCPT TO. */
export interface CapturedMail {
  id: string;
  from: string;
  to: string[];
  received_at: string;
  size: number;
}

/** Keeps captured mail in a directory, two files each: `<id>.eml` as it came, `<id>.json` with its envelope. */
export interface MailStore {
  /** Resolves when the mail is on the disk. */
  keep(envelope: { from: string; to: string[] }, raw: Uint8Array): Promise<CapturedMail>;
  /** Newest first. */
  list(): CapturedMail[];
  find(id: string): CapturedMail | undefined;
  raw(id: string): Promise<Buffer>;
}

/** Opens the directory and reads the envelopes in it. */
export async function openMailStore(directory: string): Promise<MailStore> {
  await mkdir(directory, { recursive: true });
  const mails = await readAll(directory);
  const nextId = idSequence(mails.at(-1)?.id ?? "");
  return {
    async keep(envelope, raw) {
      const mail = { id: nextId(), ...envelope, received_at: new Date().toISOString(), size: raw.byteLength };
      // The envelope comes last: a mail is there when its envelope is.
      await writeDurably(path.join(directory, `${mail.id}.eml`), raw);
      await writeDurably(path.join(directory, `${mail.id}.json`), JSON.stringify(mail));
      mails.push(mail);
      return mail;
    },
    list: () => mails.toReversed(),
    find: (id) => mails.find((mail) => mail.id === id),
    raw: (id) => readFile(path.join(directory, `${id}.eml`)),
  };
}

/** Oldest first. What a kill left half written was never answered with 250, so it goes. */
async function readAll(directory: string): Promise<CapturedMail[]> {
  const names = await readdir(directory);
  const broken = names.filter((name) => name.endsWith(".tmp"));
  await Promise.all(broken.map((name) => rm(path.join(directory, name), { force: true })));
  const mails: CapturedMail[] = [];
  for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
    const mail = await readJson<CapturedMail>(path.join(directory, name));
    if (mail) mails.push(mail);
  }
  return mails;
}

/** Ids whose order is the order of arrival, also within a millisecond and after the clock went back. */
function idSequence(last: string): () => string {
  let at = Number.parseInt(last.slice(0, 12), 16) || 0;
  return () => {
    at = Math.max(Date.now(), at + 1);
    return `${at.toString(16).padStart(12, "0")}-${randomBytes(6).toString("hex")}`;
  };
}
