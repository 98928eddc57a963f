import type http from "node:http";
import type { CallInput, CallName, CallResult } from "../../src/mailboxes/imap/call.ts";
import { isRefusedValue } from "../errors.ts";
import type { MailboxAccess } from "../open-accesses.ts";
import type { WorkerClient } from "../worker-client.ts";
import { CommandError, unavailable } from "./command-error.ts";

/** A message to append, as the Worker takes it. */
interface AppendHeader {
  folder: string;
  flags: { flags: readonly string[]; keywords: readonly string[] };
  date: number | null;
  size: number;
}

/** The calls of the Worker. */
export type ImapCalls = ReturnType<typeof toCalls>;

interface Response {
  error: { code: string; text: string } | null;
}

/** Bytes of a response: a folder of 200,000 messages. */
const MAX_RESPONSE = 16 * 1024 * 1024;

/** The WebSocket of Node takes headers, which the standard's does not. */
const SocketWithHeaders = WebSocket as unknown as new (
  url: string,
  init: { headers: Record<string, string> },
) => WebSocket;

/** Returns the calls of a Worker. They throw CommandError for what the client is told, and other errors when the Worker fails. */
export function toCalls(worker: WorkerClient) {
  const call = async <Result>(path: string, body: unknown): Promise<Result> =>
    unwrap<Result>(await readJson(await worker.open(`imap/${path}`, JSON.stringify(body))));
  return {
    logIn: async (login: { username: string; password: string; ip: string }): Promise<MailboxAccess> => {
      const { access } = await refusing(call<{ access?: MailboxAccess }>("sessions", login), wrongLogin());
      // A Worker of an earlier version responds with a token.
      if (!access) throw unavailable();
      return access;
    },
    call: <Name extends CallName>(access: MailboxAccess, name: Name, input: CallInput<Name>) =>
      refusing(call<CallResult<Name>>("calls", { access, call: { name, ...input } })),
    read: async (
      access: MailboxAccess,
      place: { object: string; from: number; length: number },
    ): Promise<AsyncIterable<Uint8Array>> => {
      const response = await worker.open("imap/contents", JSON.stringify({ access, ...place }), [200, 410]);
      if (response.statusCode === 410) unwrap(await readJson(response));
      return response;
    },
    append: async (access: MailboxAccess, message: AppendHeader, chunks: AsyncIterable<Uint8Array>) => {
      const headers = {
        "X-Access": toHeader(access),
        "X-Message": toHeader(message),
        "Content-Length": String(message.size),
      };
      const response = await refusing(worker.send("imap/messages", headers, chunks));
      return unwrap<{ uid: number; uidvalidity: number }>(await readJson(response));
    },
    openChanges: (access: MailboxAccess) =>
      new SocketWithHeaders(worker.socketUrl("imap/changes"), {
        headers: { ...worker.authorization, "X-Access": toHeader(access) },
      }),
  };
}

const toHeader = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64");

const noSuchValue = () => new CommandError("The command has a value that no mailbox takes", "CANNOT");
const wrongLogin = () => new CommandError("The address or the password is wrong", "AUTHENTICATIONFAILED");

/** Throws CommandError when the Worker refuses a value of the command, such as an empty folder name: it will refuse it again. */
async function refusing<Result>(response: Promise<Result>, refusal = noSuchValue()): Promise<Result> {
  try {
    return await response;
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    throw refusal;
  }
}

function unwrap<Result>(response: unknown): Result {
  const { error, ...result } = response as Response & Record<string, unknown>;
  if (error) throw new CommandError(error.text.replace(/[^\x20-\x7e]+/g, "?"), error.code);
  return result as Result;
}

async function readJson(response: http.IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_RESPONSE) throw new Error("the response of the Worker is too large");
    chunks.push(chunk);
  }
  return JSON.parse(Buffer.concat(chunks).toString("utf8"));
}
