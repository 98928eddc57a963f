import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { readJson, writeDurably } from "../state/files.ts";

/** A captured mail: its SMTP envelope (MAIL FROM and RCPT TO), time and size. */
export interface CapturedMail {
  id: string;
  from: string;
  to: string[];
  received_at: string;
  size: number;
}

/** Stores captured mail in a directory: `<id>.eml` with the message and `<id>.json` with the envelope. */
export interface MailStore {
  /** Resolves when the mail is synced to disk. */
  save(envelope: { from: string; to: string[] }, raw: Uint8Array): Promise<CapturedMail>;
  /** Returns all mails, newest first. */
  list(): CapturedMail[];
  find(id: string): CapturedMail | undefined;
  raw(id: string): Promise<Buffer>;
}

/** Opens the directory, creates it if needed, and reads its envelopes. */
export async function openMailStore(directory: string): Promise<MailStore> {
  await mkdir(directory, { recursive: true });
  const mails = await readAll(directory);
  const nextId = idSequence(mails.at(-1)?.id ?? "");
  return {
    async save(envelope, raw) {
      const mail = { id: nextId(), ...envelope, received_at: new Date().toISOString(), size: raw.byteLength };
      // The envelope is written last: a mail without an envelope is incomplete and is ignored.
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

/** Reads all envelopes, oldest first. Deletes half-written files: their mails were never acknowledged with 250. */
async function readAll(directory: string): Promise<CapturedMail[]> {
  const names = await readdir(directory);
  const incomplete = names.filter((name) => name.endsWith(".tmp"));
  await Promise.all(incomplete.map((name) => rm(path.join(directory, name), { force: true })));
  const mails: CapturedMail[] = [];
  for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
    const mail = await readJson<CapturedMail>(path.join(directory, name));
    if (mail) mails.push(mail);
  }
  return mails;
}

/** Returns a generator of ids that sort by arrival, also within one millisecond and after the clock was set back. */
function idSequence(last: string): () => string {
  let at = Number.parseInt(last.slice(0, 12), 16) || 0;
  return () => {
    at = Math.max(Date.now(), at + 1);
    return `${at.toString(16).padStart(12, "0")}-${randomBytes(6).toString("hex")}`;
  };
}
