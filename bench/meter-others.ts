/** Metered bindings other than D1. */
import type { Recorder } from "./meter.ts";
import type { BindingKind } from "./trace.ts";

const CLASS_A = new Set(["put", "createMultipartUpload", "list", "uploadPart", "complete"]);
const CLASS_B = new Set(["get", "head"]);

export function meteredBucket(bucket: R2Bucket, recorder: Recorder): R2Bucket {
  const count = (method: string) => {
    if (CLASS_A.has(method)) recorder.meter.add("r2ClassA");
    if (CLASS_B.has(method)) recorder.meter.add("r2ClassB");
  };
  const metered = meteredMethods(bucket, ["put", "get", "head", "list", "delete"], "R2", recorder, count);
  const ofUpload = (upload: R2MultipartUpload) =>
    meteredMethods(upload, ["uploadPart", "complete", "abort"], "R2", recorder, count);
  return new Proxy(metered, {
    get(target, name) {
      if (name === "resumeMultipartUpload") {
        return (key: string, id: string) => ofUpload(bucket.resumeMultipartUpload(key, id));
      }
      if (name !== "createMultipartUpload") return Reflect.get(target, name);
      return async (...args: Parameters<R2Bucket["createMultipartUpload"]>) => {
        count(name);
        return ofUpload(await record(recorder, "R2", name, () => bucket.createMultipartUpload(...args)));
      };
    },
  });
}

export function meteredQueue<Message>(queue: Queue<Message>, recorder: Recorder): Queue<Message> {
  return meteredMethods(queue, ["send", "sendBatch"], "queue", recorder, (method, args) => {
    recorder.meter.add("queueOperations", method === "send" ? 1 : [...(args[0] as Iterable<unknown>)].length);
  });
}

export function meteredRateLimit(binding: RateLimit, recorder: Recorder): RateLimit {
  return meteredMethods(binding, ["limit"], "rate limit", recorder, () => recorder.meter.add("rateLimitCalls"));
}

/** Counts every method call of a stub: each is one billed request. */
export function meteredNamespace(namespace: DurableObjectNamespace, recorder: Recorder): DurableObjectNamespace {
  const ofStub = (stub: DurableObjectStub) =>
    new Proxy(stub, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function" || typeof name === "symbol") return method;
        return (...args: unknown[]) => {
          recorder.meter.add("durableObjectRequests");
          return record(recorder, "Durable Object", name, () => Reflect.apply(method, target, args));
        };
      },
    });
  return new Proxy(namespace, {
    get(target, name) {
      if (name === "get") return (...args: Parameters<typeof target.get>) => ofStub(target.get(...args));
      if (name === "getByName")
        return (...args: Parameters<typeof target.getByName>) => ofStub(target.getByName(...args));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Runs a call, and records it when the request is traced. */
export function record<Result>(
  { trace }: Recorder,
  kind: BindingKind,
  method: string,
  run: () => Promise<Result>,
): Promise<Result> {
  return trace ? trace.record(kind, method, run) : run();
}

function meteredMethods<Target extends object>(
  target: Target,
  methods: readonly string[],
  kind: BindingKind,
  recorder: Recorder,
  count: (method: string, args: unknown[]) => void,
): Target {
  return new Proxy(target, {
    get(inner, name) {
      const value: unknown = Reflect.get(inner, name);
      if (typeof value !== "function") return value;
      if (typeof name === "symbol" || !methods.includes(name)) return value.bind(inner);
      return (...args: unknown[]) => {
        count(name, args);
        return record(recorder, kind, name, () => Reflect.apply(value, inner, args));
      };
    },
  });
}
