import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { readerOf, strangersPolicy } from "../../src/platform/service-mail/rules.ts";

/** Forgets which mails of strangers these addresses got: the tests of a file write to the same persons. */
export async function forgetMailsTo(...addresses: readonly string[]): Promise<void> {
  const forget = (address: string) =>
    runInDurableObject(env.RATE_LIMITER.getByName(`${strangersPolicy.name}/${readerOf(address)}`), (_, { storage }) =>
      storage.deleteAll(),
    );
  await Promise.all(addresses.map(forget));
}
