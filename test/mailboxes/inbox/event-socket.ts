import { until } from "../../support/workspace.ts";

interface Change {
  type: string;
  folder: string;
  uid: number | null;
}

interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

/** Opens a socket of changes of a mailbox. Throws when the response is not 101. */
export const watch = (api: Api, mailboxId: string, headers: Record<string, string> = {}) =>
  watchAt(api, `/v1/inbox/${mailboxId}/events`, headers);

/** Opens the socket of changes that has this path. Throws when the response is not 101. */
export async function watchAt(api: Api, path: string, headers: Record<string, string> = {}) {
  const response = await api.get(path, { Upgrade: "websocket", ...headers });
  const socket = response.webSocket;
  if (!socket) throw new Error(`${response.status} ${await response.text()}`);
  const changes: Change[] = [];
  let closed: number | null = null;
  socket.addEventListener("message", ({ data }) => changes.push(data === "pong" ? data : JSON.parse(data)));
  socket.addEventListener("close", ({ code }) => {
    closed = code;
  });
  socket.accept();
  return {
    socket,
    changes,
    /** Waits for this number of changes, or more, and returns them as texts. */
    next: async (count: number) =>
      (
        await until(
          async () => changes,
          (seen) => seen.length >= count,
        )
      ).map(({ type, folder, uid }) => `${type} ${folder} ${uid}`),
    /** Waits until the service has closed the socket and returns the code. */
    closeCode: () =>
      until(
        async () => closed,
        (code) => code !== null,
      ),
  };
}
