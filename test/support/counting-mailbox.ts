import { env } from "cloudflare:workers";

/** Returns the binding of mailboxes, which records the methods that are called in `calls`. */
export function countingMailbox() {
  const calls: string[] = [];
  const getByName = (name: string) =>
    new Proxy(env.MAILBOX.getByName(name), {
      get: (stub, method) => {
        calls.push(String(method));
        const called = Reflect.get(stub, method) as (...args: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => Reflect.apply(called, stub, args);
      },
    });
  return { bindings: { MAILBOX: { getByName } }, calls };
}
