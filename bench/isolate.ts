/** The memory of the Worker's own isolate, which Cloudflare limits to 128 MB, by the inspector of workerd. */

const MEGABYTE = 1024 * 1024;

interface Reply {
  id?: number;
  method?: string;
  params?: { context?: { id: number } };
  result?: { usedSize?: number; backingStorageSize?: number };
  error?: { message: string };
}

export class Isolate {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;
  #context = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.method === "Runtime.executionContextCreated") this.#context = reply.params?.context?.id ?? 0;
      this.#waiting.get(reply.id ?? 0)?.(reply);
      this.#waiting.delete(reply.id ?? 0);
    });
  }

  /** Connects to the isolate of a host that was started with an inspector. */
  static async open(inspectorUrl: string): Promise<Isolate> {
    const socket = new WebSocket(`${inspectorUrl}core:user:email-delivery`);
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", () => reject(new Error("the inspector cannot be reached")));
    });
    const isolate = new Isolate(socket);
    await isolate.#send("Runtime.enable");
    return isolate;
  }

  /** Returns heap and buffers without garbage, in MB. */
  async liveMegabytes(): Promise<number> {
    await this.#collect();
    return this.#megabytes();
  }

  /**
   * Returns the most of heap and buffers while work runs, in MB. `live` collects garbage before each reading; without it garbage counts
   * that is not collected yet.
   */
  async peakMegabytes(live: boolean, work: () => Promise<unknown>): Promise<number> {
    let [peak, isOver] = [await this.liveMegabytes(), false];
    const running = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      peak = Math.max(peak, await (live ? this.liveMegabytes() : this.#megabytes()));
    }
    await running;
    return peak;
  }

  close(): void {
    this.#socket.close();
  }

  async #collect(): Promise<void> {
    await this.#send("Runtime.evaluate", { contextId: this.#context, expression: "gc()" });
  }

  async #megabytes(): Promise<number> {
    const { result } = await this.#send("Runtime.getHeapUsage");
    return ((result?.usedSize ?? 0) + (result?.backingStorageSize ?? 0)) / MEGABYTE;
  }

  async #send(method: string, params: object = {}): Promise<Reply> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    if (reply.error) throw new Error(`${method}: ${reply.error.message}`);
    return reply;
  }
}
