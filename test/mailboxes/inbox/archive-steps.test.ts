import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { utf8 } from "../../../src/lib/bytes.ts";
import { YieldingSteps } from "../../../src/lib/yielding-steps.ts";
import { parseInSteps } from "../../../src/mailboxes/inbox/archives/parse-in-steps.ts";
import { archiveStep, importBatch } from "../../../src/mailboxes/inbox/archives/rules.ts";
import { type ImportedMessage, mailboxLimits } from "../../../src/mailboxes/mailbox-store/index.ts";
import { StepRecorder } from "../../support/recorded-steps.ts";
import { apiOn } from "../../support/workspace.ts";
import { anInbox, type Inbox } from "./support.ts";
import { aZip } from "./zip-files.ts";

const MAILS = 120;
const mail = (n: number, bytes: number) =>
  `Subject: mail ${n}\r\nMessage-ID: <${n}@example.org>\r\n\r\n${"Some words of a mail.\r\n".repeat(Math.ceil(bytes / 23))}`;
const mboxOf = (bytes: number) =>
  Array.from({ length: MAILS }, (_, n) => `From a Sat Nov 21 14:12:48 2026\r\n${mail(n, bytes)}\r\n`).join("");
const zipOf = async (bytes: number) =>
  aZip(Array.from({ length: MAILS }, (_, n) => ({ name: `${n}.eml`, data: mail(n, bytes), deflate: true })));

/** Returns a Worker whose R2 and mailbox objects record what each step of an import or export asks of them. */
function recordedApi(inbox: Inbox) {
  const recorder = new StepRecorder();
  const content = new Proxy(env.CONTENT, {
    get: (bucket, name: keyof R2Bucket) => {
      if (name !== "put" && name !== "get") return bucket[name].bind(bucket);
      return async (key: string, value: Uint8Array | ReadableStream) => {
        if (!key.includes("/files/")) recorder.add(name, 1, value instanceof Uint8Array ? value.length : 0);
        return name === "put" ? bucket.put(key, value) : bucket.get(key, value as R2GetOptions | undefined);
      };
    },
  });
  const mailbox = {
    getByName: (id: string) =>
      new Proxy(env.MAILBOX.getByName(id), {
        get: (stub, name: "importMessages") => {
          if (name !== "importMessages") return (...args: unknown[]) => (stub[name] as Remote)(...args);
          return (messages: ImportedMessage[], quota: number | null) => {
            const characters = messages.map(({ message }) =>
              Math.min(message.searchText.length, mailboxLimits.searchCharacters),
            );
            recorder.add("store", messages.length, sum(characters));
            return stub.importMessages(messages, quota, null);
          };
        },
      }),
  };
  return { recorder, api: apiOn({ CONTENT: content, MAILBOX: mailbox }, inbox.workspace.apiKey) };
}

type Remote = (...args: unknown[]) => Promise<unknown>;
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

async function importInSteps(archive: Uint8Array<ArrayBuffer>) {
  const inbox = await anInbox();
  const { recorder, api } = recordedApi(inbox);
  const headers = { "Content-Type": "application/zip", "Content-Length": String(archive.length) };
  const response = await recorder.during(() =>
    api.call("POST", inbox.path("/import"), new Blob([archive]).stream(), headers),
  );
  expect(await response.json()).toEqual({ imported: MAILS, duplicates: 0, skipped: 0, errors: [] });
  return { inbox, recorder };
}

describe("an import gives way to other requests", () => {
  const archives = { mbox: async (bytes: number) => utf8(mboxOf(bytes)), zip: zipOf };
  for (const [format, make] of Object.entries(archives)) {
    it(`of ${format} after at most ${archiveStep.rows} messages, and stores at most ${importBatch.messages} at once`, async () => {
      const { recorder } = await importInSteps(await make(500));
      expect(recorder.largest("put").rows).toBeLessThanOrEqual(archiveStep.rows);
      // One call of the mailbox holds up its other calls, two calls do not.
      expect(recorder.largestCall("store").rows).toBeLessThanOrEqual(importBatch.messages);
    });

    it(`of ${format} after about 1 MiB, and indexes a bounded text at once`, async () => {
      const { recorder } = await importInSteps(await make(50_000));
      // A step ends with the group of objects that fills it.
      expect(recorder.largest("put").bytes).toBeLessThanOrEqual(archiveStep.bytes + 5 * 51_000);
      expect(recorder.largestCall("store").bytes).toBeLessThanOrEqual(
        importBatch.searchCharacters + mailboxLimits.searchCharacters,
      );
    });
  }
});

describe("an export gives way to other requests", () => {
  for (const format of ["mbox", "zip"]) {
    it(`as ${format} after at most ${archiveStep.rows} messages`, async () => {
      const { inbox } = await importInSteps(utf8(mboxOf(500)));
      const { recorder, api } = recordedApi(inbox);
      const archive = await recorder.during(async () =>
        (await api.get(inbox.path(`/export?format=${format}`))).arrayBuffer(),
      );
      expect(archive.byteLength).toBeGreaterThan(MAILS * 500);
      expect(recorder.largest("get").rows).toBeGreaterThan(0);
      expect(recorder.largest("get").rows).toBeLessThanOrEqual(archiveStep.rows + 6);
    });
  }
});

describe("a list of folders and labels in an archive", () => {
  const HEADER =
    "Subject: DON'T DELETE THIS MESSAGE -- FOLDER INTERNAL DATA\r\nX-Mailbox-Contents: 1\r\nContent-Type: application/json\r\n\r\n";
  const listOf = (name: string, size: number) =>
    `${JSON.stringify({ folders: [name], labels: [] })}${" ".repeat(Math.max(0, size))}`;

  it("is parsed up to 1 MiB, and is a message beyond it", async () => {
    const inbox = await anInbox();
    const small = listOf("Small", 0);
    const large = listOf("Large", 1024 * 1024);
    const archive = utf8(
      `From a Sat Nov 21 14:12:48 2026\r\n${HEADER}${small}\r\n\r\nFrom a Sat Nov 21 14:12:48 2026\r\n${HEADER}${large}\r\n\r\n`,
    );
    const headers = { "Content-Type": "application/mbox", "Content-Length": String(archive.length) };
    const response = await inbox.workspace.call("POST", inbox.path("/import"), new Blob([archive]).stream(), headers);
    expect(await response.json()).toMatchObject({ imported: 1 });
    const folders = await inbox.json<{ name: string }[]>("GET", "/folders");
    expect(folders.map(({ name }) => name)).toContain("Small");
    expect(folders.map(({ name }) => name)).not.toContain("Large");
  });
});

it("a large message is parsed in pieces of 256 KiB, with a turn of other requests after each", async () => {
  const raw = utf8(`Content-Type: multipart/mixed; boundary=x\r\n\r\n${"--\r\n".repeat(1024 * 1024)}`);
  const recorder = new StepRecorder();
  const { hash } = await recorder.during(() => parseInSteps(raw, new YieldingSteps(archiveStep)));
  expect(hash).toHaveLength(64);
  expect(recorder.steps.length).toBeGreaterThanOrEqual(raw.length / 262_144);
});
