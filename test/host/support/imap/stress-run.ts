/** Clients that use one mailbox at once for a time, and what they find at the end. */

import { seeded } from "../../../support/failures.ts";
import { ImapClient } from "../imap-client.ts";
import { type FolderView, flagsIn, splitLiteral } from "./folder-view.ts";
import { FOLDERS, StressClient, type StressLogin } from "./stress-client.ts";
import { type FinalMessage, StressModel } from "./stress-model.ts";

export interface StressPlan {
  login: StressLogin;
  clients: number;
  /** Time of the run in ms. */
  ms: number;
  seed: number;
}

export interface StressReport {
  commands: number;
  messages: number;
  /** In what the mailbox differs from the model, and each client's view from the mailbox. */
  differences: string[];
}

/** Runs a plan. Throws ProtocolError for a response that the protocol or the model does not allow. */
export async function runStress({ login, clients: count, ms, seed }: StressPlan): Promise<StressReport> {
  const model = new StressModel();
  const creator = await logIn(login);
  for (const folder of FOLDERS.slice(1)) await creator.command(`CREATE ${folder}`);
  creator.end();
  const clients = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      StressClient.connect({ name: `c${n}`, login, model, random: seeded(seed + n) }),
    ),
  );
  try {
    const end = Date.now() + ms;
    let hasFailed = false;
    await Promise.all(
      clients.map(async (one) => {
        while (Date.now() < end && !hasFailed)
          await one.step().catch((error) => {
            hasFailed = true;
            throw error;
          });
      }),
    );
    for (const one of clients) await one.command("NOOP");
    const final: FinalMessage[] = [];
    const reader = await logIn(login);
    for (const folder of FOLDERS) final.push(...(await readFolder(reader, folder)));
    reader.end();
    const differences = [...model.differences(final), ...clients.flatMap((one) => compareView(one, final))];
    return { commands: clients.reduce((sum, one) => sum + one.commands, 0), messages: final.length, differences };
  } finally {
    for (const one of clients) one.close();
  }
}

async function logIn(login: StressLogin): Promise<ImapClient> {
  const { client } = await ImapClient.connect(login);
  await client.command(`LOGIN ${login.username} "${login.password}"`);
  return client;
}

async function readFolder(client: ImapClient, folder: string): Promise<FinalMessage[]> {
  await client.command(`SELECT ${folder}`);
  const lines = await client.command("UID FETCH 1:* (UID FLAGS BODY.PEEK[])");
  return lines.flatMap((line) => {
    const { text, literal } = splitLiteral(line);
    const uid = Number(/\bUID (\d+)/.exec(text)?.[1] ?? 0);
    return uid === 0 || literal === null ? [] : [{ folder, uid, flags: flagsIn(text) ?? new Set(), raw: literal }];
  });
}

/** Returns in what the view of a client differs from its folder. */
function compareView(
  { folder, view, keyword }: { folder: string; view: FolderView; keyword: string },
  final: readonly FinalMessage[],
): string[] {
  const messages = final.filter((message) => message.folder === folder);
  const where = `the view of ${keyword} on ${folder}`;
  if (messages.length !== view.size) return [`${where} has ${view.size} messages, the folder ${messages.length}`];
  return view.messages.flatMap(({ uid, flags }, index) => {
    const message = messages[index];
    if (!message) return [];
    const [seen, real] = [flags && [...flags].sort().join(" "), [...message.flags].sort().join(" ")];
    return [
      ...(uid !== null && uid !== message.uid ? [`${where}: ${index + 1} is ${uid}, not ${message.uid}`] : []),
      ...(seen !== null && seen !== real ? [`${where}: ${uid} has (${seen}), not (${real})`] : []),
    ];
  });
}
