import { Webhook } from "standardwebhooks";

/** Returns what a signed event of a webhook says, or why its signature is wrong. It is good for five minutes, so read it on arrival. */
export function readSigned(secret: string, body: string, headers: NodeJS.Dict<string | string[]>): unknown {
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>);
  } catch (error) {
    return error;
  }
}
