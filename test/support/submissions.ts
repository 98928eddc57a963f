import { createMessageBatch } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { OutboxMessage } from "../../src/platform/outbox/wake.ts";
import { consume } from "../../src/queue.ts";
import { database, FILE_SHARD } from "./databases.ts";
import { insertCredential, type NewCredential } from "./smtp-credentials.ts";
import { apiOn, discardingQueue, type TestWorkspace } from "./workspace.ts";

/** The secret of the gateway in vitest.config.ts. */
export const GATEWAY_HEADERS = { Authorization: "Bearer gateway-secret-of-the-tests-0123456789" };

/** The response of a gateway call. */
export interface GatewayResponse {
  reply: string | null;
  id?: string;
  token?: string;
  /** Of a login with the address of a mailbox. */
  access?: { id: string; secret: string } | null;
  repeat?: string | null;
  answers?: GatewayResponse[];
}

/** Returns functions that call the Worker as the mail gateway does; nothing is delivered. `bindings` replaces some. */
export function aGateway(bindings: Record<string, unknown> = {}) {
  const api = apiOn({ WORK: discardingQueue, ...bindings }, null);
  const call = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await api.post(`/gateway/${path}`, body, { ...GATEWAY_HEADERS, ...headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json<GatewayResponse>();
  };
  const login = async (
    { username, password }: Pick<NewCredential, "username" | "password">,
    connection = "c1",
    ip = "192.0.2.1",
  ): Promise<GatewayResponse> => {
    const { answers = [] } = await call("sessions", { username, password, connections: [{ ip, connection }] });
    return answers[0] ?? { reply: "no response" };
  };
  const confirm = (token: string, keys: readonly unknown[], connection = "c1") =>
    call("confirmations", { confirmations: [{ token, connection, keys }] });
  const checkSender = (token: string, address: string) => call("senders", { token, address });
  const submit = (
    token: string,
    from: string,
    to: string[],
    message: string | Uint8Array | ReadableStream,
    end = "\0end",
    sequence = 0,
  ) => {
    const text = JSON.stringify({ from, to });
    const envelope = btoa(String.fromCharCode(...new TextEncoder().encode(text)));
    const bytes = typeof message === "string" ? new TextEncoder().encode(message) : message;
    const body = bytes instanceof ReadableStream ? bytes : new Blob([bytes, end]).stream();
    return call("submissions", body, {
      "X-Session": token,
      "X-Sequence": String(sequence),
      "X-Envelope": envelope,
      "Content-Type": "message/rfc822",
    });
  };
  /** Submits messages in one call, from one sender. Returns the responses in their order. */
  const submitGroup = async (
    from: string,
    messages: readonly {
      token: string;
      connection?: string;
      to: string[];
      text: string;
      end?: string;
      sequence?: number;
    }[],
    cut = 0,
  ) => {
    const bytes = messages.map(({ text, end = "\0end" }) => new TextEncoder().encode(text + end));
    const items = messages.map(({ token, connection, to, sequence = 0 }, index) => ({
      token,
      connection,
      sequence,
      envelope: { from, to },
      octets: bytes[index]?.length,
    }));
    const whole = await new Blob([`${JSON.stringify(items)}\n`, ...bytes]).bytes();
    const body = new Blob([whole.subarray(0, whole.length - cut)]).stream();
    const { answers: responses } = await call("submission-groups", body, {
      "Content-Type": "application/octet-stream",
    });
    return responses ?? [];
  };
  return { call, login, confirm, checkSender, submit, submitGroup };
}

export type Gateway = ReturnType<typeof aGateway>;

/** Creates the credential of a workspace and returns a function that submits from its mailbox. */
export async function aSubmitter(workspace: TestWorkspace, gateway = aGateway(), to = ["friend@example.org"]) {
  const credential = await insertCredential(workspace, { domain_id: workspace.domainId });
  const { token = "" } = await gateway.login(credential);
  const submit = (message: string | Uint8Array, recipients = to) =>
    gateway.submit(token, workspace.mailbox, recipients, message);
  return { credential, token, submit, gateway };
}

/** Delivers an email to an SMTP server. */
export async function deliverTo(url: string, id: string): Promise<void> {
  const row = await database.row<OutboxMessage["rows"][number]>(
    "SELECT due_at AS dueAt, id, kind FROM outbox WHERE id = (SELECT coalesce(outbox_id, id) FROM emails WHERE id = ?1)",
    [id],
  );
  const body: OutboxMessage = { type: "outbox.wake.v2", database: FILE_SHARD, rows: row ? [row] : [] };
  const batch = createMessageBatch<OutboxMessage>("work", [
    { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body },
  ]);
  await consume(batch, { ...env, EGRESS_URL: url } as unknown as Env);
}
