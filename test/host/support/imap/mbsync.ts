/** A Maildir that mbsync (Debian's isync) keeps equal to a mailbox. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { StressLogin } from "./stress-client.ts";

const run = promisify(execFile);

const configOf = (root: string, { port, username, password, caFile }: StressLogin) => `
IMAPAccount a
Host localhost
Port ${port}
User ${username}
Pass "${password}"
SSLType IMAPS
CertificateFile ${caFile}

IMAPStore far
Account a

MaildirStore near
Path ${root}/mail/
Inbox ${root}/mail/INBOX
SubFolders Verbatim

Channel all
Far :far:
Near :near:
Patterns *
Create Both
Expunge Both
SyncState *
`;

/** A file of a Maildir: the letters of its flags are after `:2,`. */
export interface MaildirFile {
  folder: string;
  /** `new` or `cur`. */
  part: string;
  name: string;
}

export class MbsyncClient {
  readonly root: string;
  #written = 0;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(login: StressLogin): Promise<MbsyncClient> {
    const root = await mkdtemp(path.join(os.tmpdir(), "mbsync-"));
    await mkdir(path.join(root, "mail"));
    await writeFile(path.join(root, "mbsyncrc"), configOf(root, login));
    return new MbsyncClient(root);
  }

  /** Copies the changes of both sides. Rejects when mbsync reports an error. */
  async sync(): Promise<void> {
    await run("mbsync", ["-c", path.join(this.root, "mbsyncrc"), "-a"], { timeout: 120_000 });
  }

  async files(folder: string): Promise<MaildirFile[]> {
    const parts = ["cur", "new"].map(async (part) =>
      (await readdir(path.join(this.root, "mail", folder, part))).map((name) => ({ folder, part, name })),
    );
    return (await Promise.all(parts)).flat();
  }

  async read({ folder, part, name }: MaildirFile): Promise<string> {
    return readFile(path.join(this.root, "mail", folder, part, name), "latin1");
  }

  async write(folder: string, message: string): Promise<void> {
    this.#written += 1;
    const name = `${Date.now()}.${this.#written}.test`;
    await writeFile(path.join(this.root, "mail", folder, "new", name), message);
  }

  /** Sets the flags of a message, as letters in their order: `FS` is flagged and seen. */
  async setFlags({ folder, part, name }: MaildirFile, flags: string): Promise<void> {
    const [base = ""] = name.split(":2,");
    const at = (where: string, file: string) => path.join(this.root, "mail", folder, where, file);
    await rename(at(part, name), at("cur", `${base}:2,${flags}`));
  }

  async delete({ folder, part, name }: MaildirFile): Promise<void> {
    await rm(path.join(this.root, "mail", folder, part, name));
  }

  async remove(): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

export const flagsOf = ({ name }: MaildirFile): string => name.split(":2,")[1] ?? "";
