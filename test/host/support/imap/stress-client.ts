/** A client of a stress run: it sends random commands and checks each response. */
import { setTimeout as sleep } from "node:timers/promises";
import { ImapClient, type ImapClientOptions } from "../imap-client.ts";
import { FolderView, ProtocolError } from "./folder-view.ts";
import { messageOf, type StressModel } from "./stress-model.ts";

/** A login and where it is sent. */
export interface StressLogin extends ImapClientOptions {
  username: string;
  password: string;
}

export interface StressClientOptions {
  /** Distinguishes the client; its keyword is `$` and this. */
  name: string;
  login: StressLogin;
  model: StressModel;
  random: () => number;
}

/** Folders of a run, and messages of each above which clients rather delete than add. */
export const FOLDERS = ["INBOX", "Work", "Work/Deep"] as const;
const ENOUGH = 80;
const SHARED_FLAGS = ["\\Seen", "\\Flagged", "\\Answered", "$Forwarded"];
const IDLE_MS = 150;

const isNumbered = (text: string) => /^(FETCH|STORE|SEARCH)\b/.test(text);

/** Returns the numbers of a set such as `1:3,7`. */
const membersOf = (set: string): number[] =>
  set.split(",").flatMap((range) => {
    const [from = 0, to = from] = range.split(":").map(Number);
    return Array.from({ length: to - from + 1 }, (_, n) => from + n);
  });

export class StressClient {
  readonly keyword: string;
  folder = "";
  view = new FolderView();
  commands = 0;
  readonly #options: StressClientOptions;
  readonly #client: ImapClient;
  readonly #usesCondstore: boolean;
  /** UIDs of the selected folder that this client has marked as deleted. */
  #marked = new Set<number>();
  #appended = 0;

  private constructor(options: StressClientOptions, client: ImapClient) {
    this.#options = options;
    this.#client = client;
    this.keyword = `$${options.name}`;
    this.#usesCondstore = options.random() < 0.5;
  }

  static async connect(options: StressClientOptions): Promise<StressClient> {
    const { client } = await ImapClient.connect(options.login);
    const connected = new StressClient(options, client);
    await connected.command(`LOGIN ${options.login.username} "${options.login.password}"`);
    if (connected.#usesCondstore) await connected.command("ENABLE CONDSTORE");
    return connected;
  }

  close(): void {
    this.#client.end();
  }

  /** Sends a command, applies its responses, and returns them. Throws ProtocolError unless it succeeds. */
  async command(text: string, mayFail: RegExp | null = null): Promise<string[]> {
    const [lines = []] = await this.#pipeline([text], mayFail);
    return lines;
  }

  /** Sends commands at once. */
  async #pipeline(texts: readonly string[], mayFail: RegExp | null = null): Promise<string[][]> {
    const tagged = texts.map((text) => ({ text, tag: this.#client.nextTag() }));
    this.#client.write(tagged.map(({ tag, text }) => `${tag} ${text}\r\n`).join(""));
    const all: string[][] = [];
    for (const { tag, text } of tagged) all.push(await this.#responses(tag, text, mayFail));
    return all;
  }

  async #responses(tag: string, text: string, mayFail: RegExp | null): Promise<string[]> {
    this.commands += 1;
    const lines: string[] = [];
    for (;;) {
      const line = await this.#client.line();
      if (line.startsWith(`${tag} `)) {
        const end = line.slice(tag.length + 1);
        if (!end.startsWith("OK") && !mayFail?.test(end)) throw new ProtocolError(`${text.slice(0, 200)}: ${end}`);
        return [...lines, end];
      }
      if (line.startsWith("* BYE")) throw new ProtocolError(`${text.slice(0, 200)}: ${line}`);
      this.view.read(line, !isNumbered(text));
      lines.push(line);
    }
  }

  async select(folder: string = this.#pick(FOLDERS)): Promise<void> {
    const { model } = this.#options;
    const moment = model.now;
    this.folder = folder;
    this.#marked = new Set();
    this.view = new FolderView((uid) => model.gone({ folder, uid }));
    await this.command(`SELECT ${folder}`);
    await this.#readNew();
    for (const uid of this.view.uids)
      if (model.wasGoneAt({ folder, uid }, moment)) throw new ProtocolError(`SELECT shows ${folder}/${uid} again`);
  }

  /** Runs one random operation. */
  async step(): Promise<void> {
    const { random } = this.#options;
    if (this.folder === "" || random() < 0.03) return this.select();
    if (random() < 0.5) await this.#readNew();
    if (this.view.size === 0 || random() < (this.view.size < ENOUGH ? 0.15 : 0.03)) return this.#append();
    if (this.view.size > ENOUGH && random() < 0.3) return this.#delete();
    await this.#pick([
      () => this.#fetch(),
      () => this.#read(),
      () => this.#storeOwn(),
      () => this.#storeOwn(),
      () => this.#storeShared(),
      () => this.#delete(),
      () => this.#copy(),
      () => this.#search(),
      () => this.#idle(),
      () => this.#pipelined(),
      () => this.#other(),
    ])();
  }

  /** Learns the UIDs and flags of new messages. */
  async #readNew(): Promise<void> {
    const first = this.view.messages.findIndex(({ uid, flags }) => uid === null || flags === null);
    if (first >= 0) await this.command(`FETCH ${first + 1}:${this.view.size} (UID FLAGS)`, /^NO \[EXPUNGEISSUED\]/);
  }

  async #append(): Promise<void> {
    const { model, name, random } = this.#options;
    const folder = random() < 0.6 ? this.folder : this.#pick(FOLDERS);
    this.#appended += 1;
    const id = `${name}-${this.#appended}`;
    const hasKeyword = random() < 0.3;
    const message = messageOf(id);
    const above = model.greatestUid(folder);
    const lines = await this.command(
      `APPEND ${folder} (${hasKeyword ? this.keyword : ""}) {${message.length}+}\r\n${message}`,
    );
    const [, uid = ""] = /\[APPENDUID \d+ (\d+)\]/.exec(lines.at(-1) ?? "") ?? [];
    model.add({ folder, uid: Number(uid) }, id, above);
    model.setKeyword({ folder, uid: Number(uid) }, this.keyword, hasKeyword);
  }

  async #fetch(): Promise<void> {
    const first = this.#number();
    const last = Math.min(this.view.size, first + Math.floor(this.#options.random() * 10));
    const items = this.#pick(["(UID FLAGS)", "(FLAGS)", "(UID RFC822.SIZE ENVELOPE)", "FAST", "(UID INTERNALDATE)"]);
    if (this.#options.random() < 0.5) await this.command(`FETCH ${first}:${last} ${items}`, /^NO \[EXPUNGEISSUED\]/);
    else await this.command(`UID FETCH ${this.#uid()}:* ${items}`);
  }

  /** Reads a content, which must be that of the message that was added with this UID. */
  async #read(): Promise<void> {
    const uid = this.#uid();
    const id = this.#options.model.identityOf({ folder: this.folder, uid });
    const lines = await this.command(`UID FETCH ${uid} BODY.PEEK[]`);
    const content = lines.find((line) => /^\* \d+ FETCH .*BODY\[\]/.test(line));
    if (content && id && !content.includes(messageOf(id)))
      throw new ProtocolError(`${this.folder}/${uid} is not ${id}: ${content}`);
  }

  async #storeOwn(): Promise<void> {
    const { model, random } = this.#options;
    const uid = this.#uid();
    const isSet = random() < 0.5;
    const silent = random() < 0.4 ? ".SILENT" : "";
    if (silent) this.view.change(uid, this.keyword, isSet);
    await this.command(`UID STORE ${uid} ${isSet ? "+" : "-"}FLAGS${silent} (${this.keyword})`);
    model.setKeyword({ folder: this.folder, uid }, this.keyword, isSet);
  }

  async #storeShared(): Promise<void> {
    const { random } = this.#options;
    const number = this.#number();
    const flag = this.#pick(SHARED_FLAGS);
    const isSet = random() < 0.5;
    const silent = random() < 0.4 ? ".SILENT" : "";
    const { uid = null, modseq = 0 } = this.view.messages[number - 1] ?? {};
    const condition = this.#usesCondstore && random() < 0.3 ? ` (UNCHANGEDSINCE ${modseq})` : "";
    // A condition may not be met: then the view is not changed, so the flags must be told.
    if (silent && uid !== null && condition === "") this.view.change(uid, flag, isSet);
    await this.command(
      `STORE ${number}${condition} ${isSet ? "+" : "-"}FLAGS${condition === "" ? silent : ""} (${flag})`,
    );
  }

  async #delete(): Promise<void> {
    const { model, random } = this.#options;
    const { folder } = this;
    const uids = [...new Set(Array.from({ length: 1 + Math.floor(random() * 6) }, () => this.#uid()))];
    for (const uid of uids) model.mayVanish({ folder, uid });
    await this.command(`UID STORE ${uids.join(",")} +FLAGS (\\Deleted)`);
    for (const uid of uids) this.#marked.add(uid);
    const kind = random();
    if (kind < 0.3) return;
    await this.command(kind < 0.6 ? "EXPUNGE" : `UID EXPUNGE ${[...this.#marked].join(",")}`);
    for (const uid of this.#marked) model.gone({ folder, uid });
    this.#marked.clear();
  }

  async #copy(): Promise<void> {
    const { model, random } = this.#options;
    const { folder } = this;
    const to = this.#pick(FOLDERS);
    const uids = [...new Set(Array.from({ length: 1 + Math.floor(random() * 4) }, () => this.#uid()))];
    const isMove = random() < 0.4;
    if (isMove) for (const uid of uids) model.mayVanish({ folder, uid });
    const above = model.greatestUid(to);
    const lines = await this.command(`UID ${isMove ? "MOVE" : "COPY"} ${uids.join(",")} ${to}`);
    const [, before, after] = /\[COPYUID \d+ ([\d:,]+) ([\d:,]+)\]/.exec(lines.join("\n")) ?? [];
    if (before === undefined || after === undefined) return;
    const [sources, copies] = [membersOf(before), membersOf(after)];
    for (const [index, uid] of copies.entries()) {
      const source = { folder, uid: sources[index] ?? 0 };
      model.copy(source, { folder: to, uid }, above);
      const own = model.keyword(source, this.keyword);
      if (own !== null) model.setKeyword({ folder: to, uid }, this.keyword, own);
      if (isMove) model.gone(source);
    }
  }

  async #search(): Promise<void> {
    const lines = await this.command(this.#pick(["SEARCH UNSEEN", "SEARCH NOT DELETED 1:*", "SEARCH SUBJECT word"]));
    const numbers = this.#found(lines);
    if (numbers.some((number) => number > this.view.size)) throw new ProtocolError(`${numbers}: ${this.view.size}`);
    const known = this.view.uids;
    const found = this.#found(await this.command(`UID SEARCH KEYWORD ${this.keyword}`));
    this.#options.model.checkSearch(this.folder, this.keyword, found, known);
  }

  #found(lines: readonly string[]): number[] {
    const numbers = (lines.find((line) => line.startsWith("* SEARCH")) ?? "").split(" ").slice(2).map(Number);
    if (numbers.some((number, index) => number <= (numbers[index - 1] ?? 0)))
      throw new ProtocolError(`SEARCH: ${numbers} do not rise`);
    return numbers;
  }

  async #idle(): Promise<void> {
    const tag = this.#client.nextTag();
    this.#client.write(`${tag} IDLE\r\n`);
    const line = await this.#client.line();
    if (!line.startsWith("+")) throw new ProtocolError(`IDLE: ${line}`);
    const done = sleep(this.#options.random() * IDLE_MS).then(() => this.#client.write("DONE\r\n"));
    await this.#responses(tag, "IDLE", null);
    await done;
  }

  async #pipelined(): Promise<void> {
    const uid = this.#uid();
    await this.#pipeline([`UID FETCH ${uid} (FLAGS)`, "NOOP", `UID FETCH ${uid}:* (UID)`, "UID SEARCH ALL"]);
  }

  async #other(): Promise<void> {
    const { random } = this.#options;
    const text = this.#pick(["NOOP", "CHECK", "STATUS Sent (MESSAGES UIDNEXT)", 'LIST "" "*"', "UNSELECT"]);
    if (text === "UNSELECT") this.view = new FolderView();
    await this.command(text);
    if (text === "UNSELECT") await this.select();
    if (this.#usesCondstore && this.view.size > 0 && random() < 0.5) await this.#changedSince();
  }

  async #changedSince(): Promise<void> {
    const since = this.#pick(this.view.messages.map(({ modseq }) => modseq)) || 1;
    for (const line of await this.command(`UID FETCH 1:* (FLAGS) (CHANGEDSINCE ${since})`)) {
      const [, modseq] = /^\* \d+ FETCH .*MODSEQ \((\d+)\)/.exec(line) ?? [];
      if (line.startsWith("* OK") || modseq === undefined) continue;
      if (Number(modseq) <= since) throw new ProtocolError(`CHANGEDSINCE ${since}: ${line}`);
    }
  }

  #number(): number {
    return 1 + Math.floor(this.#options.random() * this.view.size);
  }

  #uid(): number {
    return this.#pick(this.view.uids.length > 0 ? this.view.uids : [1]);
  }

  #pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.#options.random() * items.length)];
    if (item === undefined) throw new Error("there is nothing to pick");
    return item;
  }
}
