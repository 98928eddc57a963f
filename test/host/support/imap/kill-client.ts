/** A client that changes a folder of its own while the servers are killed, and knows which changes must have survived. */
import { setTimeout as sleep } from "node:timers/promises";
import { ImapClient } from "../imap-client.ts";
import { flagsIn, splitLiteral } from "./folder-view.ts";
import type { StressLogin } from "./stress-client.ts";
import { messageOf } from "./stress-model.ts";

/** Null: the response to the last change was lost, so both states are right. */
type Known = boolean | null;

interface KnownMessage {
  id: string;
  exists: Known;
  hasKeyword: Known;
}

/** The folder to which all clients copy messages before they expunge them. */
export const KEPT = "Kept";
const KEYWORD = "$Kept";
const RECONNECT_MS = 50;

/** Signals a change of which it is not known whether it was made. */
class LostResponseError extends Error {
  override name = "LostResponseError";
}

export class KillClient {
  readonly folder: string;
  /** Changes that were answered OK. */
  changes = 0;
  readonly #messages = new Map<string, KnownMessage>();
  readonly #tried = new Set<string>();
  readonly #login: StressLogin;
  readonly #random: () => number;
  #client: ImapClient | null = null;

  constructor(folder: string, login: StressLogin, random: () => number) {
    this.folder = folder;
    this.#login = login;
    this.#random = random;
  }

  close(): void {
    this.#client?.end();
  }

  /** Makes one random change, and connects before when need be. */
  async step(): Promise<void> {
    try {
      const uids = [...this.#messages].flatMap(([key, { exists }]) => {
        const [folder, uid = ""] = key.split("/");
        return folder === this.folder && exists ? [Number(uid)] : [];
      });
      const uid = uids[Math.floor(this.#random() * uids.length)];
      const kind = this.#random();
      if (uid === undefined || kind < 0.4) await this.#append();
      else if (kind < 0.7) await this.#store(uid);
      else await this.#keep(uid);
    } catch (error) {
      if (!(error instanceof LostResponseError)) throw error;
      this.#client?.end();
      this.#client = null;
      await sleep(RECONNECT_MS);
    }
  }

  async #append(): Promise<void> {
    const id = `${this.folder}-${this.#tried.size}`;
    this.#tried.add(id);
    const message = messageOf(id);
    const end = await this.#command(`APPEND ${this.folder} () {${message.length}+}\r\n${message}`);
    this.#add(this.folder, Number(/\[APPENDUID \d+ (\d+)\]/.exec(end)?.[1]), { id, exists: true, hasKeyword: false });
  }

  async #store(uid: number): Promise<void> {
    const message = this.#messages.get(`${this.folder}/${uid}`);
    if (!message) return;
    const isSet = this.#random() < 0.5;
    message.hasKeyword = null;
    await this.#command(`UID STORE ${uid} ${isSet ? "+" : "-"}FLAGS (${KEYWORD})`);
    message.hasKeyword = isSet;
  }

  /** Copies a message, then expunges it. */
  async #keep(uid: number): Promise<void> {
    const message = this.#messages.get(`${this.folder}/${uid}`);
    if (!message) return;
    const end = await this.#command(`UID COPY ${uid} ${KEPT}`);
    const [, copy] = /\[COPYUID \d+ \d+ (\d+)\]/.exec(end) ?? [];
    if (copy === undefined) throw new Error(`${this.folder}/${uid} was not copied, which was answered before: ${end}`);
    this.#add(KEPT, Number(copy), { ...message });
    message.exists = null;
    await this.#command(`UID STORE ${uid} +FLAGS.SILENT (\\Deleted)`);
    await this.#command(`UID EXPUNGE ${uid}`);
    message.exists = false;
  }

  #add(folder: string, uid: number, message: KnownMessage): void {
    const known = this.#messages.get(`${folder}/${uid}`);
    if (known) throw new Error(`UID ${uid} of ${folder} was that of ${known.id}, and is that of ${message.id}`);
    this.#messages.set(`${folder}/${uid}`, message);
  }

  /** Returns the response to a command. Throws LostResponseError when it is not OK. */
  async #command(text: string): Promise<string> {
    try {
      this.#client ??= await this.#connect();
      const end = (await this.#client.command(text)).at(-1) ?? "";
      if (!end.startsWith("OK")) throw new Error(end);
      this.changes += 1;
      return end;
    } catch (error) {
      if (/BAD/.test(String(error))) throw error;
      throw new LostResponseError(String(error));
    }
  }

  async #connect(): Promise<ImapClient> {
    const { client } = await ImapClient.connect(this.#login);
    for (const text of [`LOGIN ${this.#login.username} "${this.#login.password}"`, `SELECT ${this.folder}`]) {
      const end = (await client.command(text)).at(-1) ?? "";
      if (end.startsWith("OK")) continue;
      client.end();
      throw new Error(end);
    }
    return client;
  }

  /** Returns in what the mailbox differs from what this client was answered. */
  async differences(): Promise<string[]> {
    const client = await this.#connect();
    const found = new Map<string, { raw: string; flags: ReadonlySet<string> }>();
    for (const folder of [this.folder, KEPT]) {
      await client.command(`SELECT ${folder}`);
      for (const line of await client.command("UID FETCH 1:* (UID FLAGS BODY.PEEK[])")) {
        const { text, literal } = splitLiteral(line);
        const [, uid] = /\bUID (\d+)/.exec(text) ?? [];
        if (uid && literal?.includes(`X-Stress: ${this.folder}-`))
          found.set(`${folder}/${uid}`, { raw: literal, flags: flagsIn(text) ?? new Set() });
      }
    }
    client.end();
    const known = [...this.#messages].flatMap(([key, { id, exists, hasKeyword }]) => {
      const message = found.get(key);
      if (!message) return exists ? [`${key} (${id}) is lost`] : [];
      return [
        ...(exists === false ? [`${key} (${id}) is there again`] : []),
        ...(message.raw === messageOf(id) ? [] : [`${key} is not ${id}: ${JSON.stringify(message.raw)}`]),
        ...(hasKeyword === null || message.flags.has(KEYWORD.toLowerCase()) === hasKeyword
          ? []
          : [`${key} must ${hasKeyword ? "" : "not "}have the keyword`]),
      ];
    });
    // A message whose APPEND or COPY was not answered may be there, whole.
    const others = [...found].flatMap(([key, { raw }]) => {
      const [, id = ""] = /^X-Stress: (.*)\r$/m.exec(raw) ?? [];
      return this.#messages.has(key) || (this.#tried.has(id) && raw === messageOf(id))
        ? []
        : [`${key} was never added`];
    });
    return [...known, ...others];
  }
}
