/** Bindings whose calls pass through a function: to count them, or to delay them and let them fail. */
import { type DatabaseCall, watchDatabase } from "./watch-database.ts";

/** Runs a call to a binding. `run` executes it. */
export type Call = <Result>(method: string, args: readonly unknown[], run: () => Promise<Result>) => Promise<Result>;

/** The functions that the calls to each kind of binding pass through. */
export interface Calls {
  database(name: string): DatabaseCall;
  bucket: Call;
  queue: Call;
  rateLimit: Call;
  object: Call;
}

/**
 * Returns `env` with bindings whose calls pass through `calls`. Throws for a binding of an unknown class, so that none stays
 * unwatched.
 */
export function watchBindings(env: Env, calls: Calls): Env {
  const bindings = Object.entries(env).map(([name, binding]) => [name, watchBinding(name, binding, calls)]);
  return Object.fromEntries(bindings) as Env;
}

function watchBinding(name: string, binding: unknown, calls: Calls): unknown {
  if (typeof binding !== "object" || binding === null) return binding;
  const kind: string = binding.constructor.name;
  switch (kind) {
    case "D1Database":
      return watchDatabase(binding as D1Database, calls.database(name));
    case "R2Bucket":
      return watchBucket(binding as R2Bucket, calls.bucket);
    case "WorkerQueue":
      return watchMethods(binding as Queue, ["send", "sendBatch"], calls.queue);
    case "Ratelimit":
      return watchMethods(binding as RateLimit, ["limit"], calls.rateLimit);
    case "DurableObjectNamespace":
      return watchNamespace(binding as DurableObjectNamespace, calls.object);
    case "Fetcher":
      // The static assets, whose requests are not billed.
      return binding;
    case "Object":
    case "Array":
      // A variable with a JSON value.
      return binding;
    default:
      throw new Error(`The bench does not watch the calls of the binding ${name}, a ${kind}`);
  }
}

function watchBucket(bucket: R2Bucket, call: Call): R2Bucket {
  const watched = watchMethods(bucket, ["put", "get", "head", "list", "delete"], call);
  const ofUpload = (upload: R2MultipartUpload) => watchMethods(upload, ["uploadPart", "complete", "abort"], call);
  return new Proxy(watched, {
    get(target, name) {
      if (name === "resumeMultipartUpload") {
        return (key: string, id: string) => ofUpload(bucket.resumeMultipartUpload(key, id));
      }
      if (name !== "createMultipartUpload") return Reflect.get(target, name);
      return async (...args: Parameters<R2Bucket["createMultipartUpload"]>) =>
        ofUpload(await call(name, args, () => bucket.createMultipartUpload(...args)));
    },
  });
}

/** Watches every method call of a stub. */
function watchNamespace(namespace: DurableObjectNamespace, call: Call): DurableObjectNamespace {
  const ofStub = (stub: DurableObjectStub) =>
    new Proxy(stub, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function" || typeof name === "symbol") return method;
        return (...args: unknown[]) => call(name, args, () => Reflect.apply(method, target, args));
      },
    });
  return new Proxy(namespace, {
    get(target, name) {
      if (name === "get") return (...args: Parameters<typeof target.get>) => ofStub(target.get(...args));
      if (name === "getByName")
        return (...args: Parameters<typeof target.getByName>) => ofStub(target.getByName(...args));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" && name !== "constructor" ? value.bind(target) : value;
    },
  });
}

function watchMethods<Target extends object>(target: Target, methods: readonly string[], call: Call): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== "function" || name === "constructor") return value;
      if (typeof name === "symbol" || !methods.includes(name)) return value.bind(inner);
      return (...args: unknown[]) => call(name, args, () => Reflect.apply(value, inner, args));
    },
  });
}
