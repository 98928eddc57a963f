/** An SMTP server that accepts and records every message. It keeps running while hosts are killed. */
import { ScriptedServer } from "../../support/scripted-smtp.ts";
import { pathIn } from "../../support/smtp-path.ts";

/** One message that was received up to its final dot. */
export interface Receipt {
  messageId: string;
  subject: string;
  recipients: string[];
  /** The number of the host that sent it: the value of `epoch` when the connection was opened. */
  epoch: number;
  /** True if the connection was closed without a reply, so that the sender cannot know the outcome. */
  dropped: boolean;
}

export class CountingSink {
  readonly receipts: Receipt[] = [];
  /** The number of the running host. The test sets it before each start. */
  epoch = 0;
  port = 0;
  /** How often each message was dropped, by its id. */
  readonly #dropped = new Map<string, number>();
  readonly #epochs = new Map<number, number>();
  readonly #server = new ScriptedServer({ countOnly: true }, { key: "", cert: "" });

  /** `drops` is called for each message with how often it was dropped before; if it returns true, the connection is closed instead of a reply. */
  constructor(drops: (earlier: number) => boolean = () => false) {
    this.#server.onConnection = (connection) => this.#epochs.set(connection, this.epoch);
    this.#server.onMessage = (connection, content, rcpts) => {
      const text = content.toString("utf8");
      const header = (name: string) => new RegExp(`^${name}: (.*)$`, "im").exec(text)?.[1]?.trim() ?? "";
      const [messageId, subject] = [header("Message-ID"), header("Subject")];
      const earlier = this.#dropped.get(messageId) ?? 0;
      const dropped = drops(earlier);
      if (dropped) this.#dropped.set(messageId, earlier + 1);
      const epoch = this.#epochs.get(connection) ?? this.epoch;
      this.receipts.push({ messageId, subject, recipients: rcpts.map(pathIn), epoch, dropped });
      return dropped ? { drop: true } : undefined;
    };
  }

  async listen(): Promise<void> {
    this.port = await this.#server.listen();
  }

  close(): void {
    this.#server.close();
  }
}
