import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";
import { expect } from "vitest";

/** A server that a webhook calls. It verifies each signature on arrival, since one is good for five minutes. */
export class WebhookReceiver {
  /** Secret of the webhook, set before its first event. */
  secret = "";
  /** Bodies of events, and what their signatures sign: the event, or why they are wrong. */
  readonly #events: { body: string; signed: unknown }[] = [];
  readonly #server = createServer(async (request, response) => {
    const body = await text(request);
    this.#events.push({ body, signed: this.#verify(body, request.headers) });
    response.end();
  });

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  /** Expects an event about an email within 30 seconds, and that all events so far are signed. */
  async expectSigned(emailId: string): Promise<void> {
    const hasEvent = () => this.#events.some(({ body }) => body.includes(emailId));
    await expect.poll(hasEvent, { timeout: 30_000 }).toBe(true);
    for (const { body, signed } of this.#events) expect(signed).toEqual(JSON.parse(body));
  }

  close(): void {
    this.#server.close();
  }

  #verify(body: string, headers: NodeJS.Dict<string | string[]>): unknown {
    try {
      return new Webhook(this.secret).verify(body, headers as Record<string, string>);
    } catch (error) {
      return error;
    }
  }
}
