import { isDnsName } from "../../lib/is-dns-name.ts";
import type { Ctx } from "../../platform/context.ts";
import { type DnsResult, resolve } from "../../platform/dns/resolve.ts";

type QueryType = Parameters<typeof resolve>[2];

/** DNS queries of one evaluation of a domain. One more makes the parts that need it unknown. */
const MAX_LOOKUPS = 48;
/** Time after which no further query is made, in ms: each may take five seconds, and those of SPF follow each other. */
const MAX_MS = 15_000;
/** Queries at once; an invocation has six connections, and checks of four domains run at once. */
const CONCURRENCY = 6;

/** Queries DNS for one evaluation: each name and type once, and at most MAX_LOOKUPS of them. */
export class Lookups {
  private readonly ctx: Pick<Ctx, "settings">;
  private readonly startedAt = performance.now();
  private readonly known = new Map<string, Promise<DnsResult>>();
  private left = MAX_LOOKUPS;
  private free = CONCURRENCY;
  private readonly waiting: (() => void)[] = [];

  constructor(ctx: Pick<Ctx, "settings">) {
    this.ctx = ctx;
  }

  /** Returns the response for a name and type. Never throws. */
  readonly resolve = (name: string, type: QueryType): Promise<DnsResult> => {
    const key = `${type} ${name.toLowerCase()}`;
    const response = this.known.get(key) ?? this.query(name, type);
    this.known.set(key, response);
    return response;
  };

  /** Returns the values of a name and type, or null when DNS did not respond. */
  readonly values = async (name: string, type: QueryType): Promise<readonly string[] | null> => {
    const response = await this.resolve(name, type);
    return response.status === "ok" ? response.values : null;
  };

  private async query(name: string, type: QueryType): Promise<DnsResult> {
    if (!isDnsName(name)) return { status: "ok", values: [] };
    if (this.left <= 0 || performance.now() - this.startedAt > MAX_MS)
      return { status: "temperror", reason: `the evaluation has made ${MAX_LOOKUPS} queries, or takes too long` };
    this.left -= 1;
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((next) => this.waiting.push(next));
    const response = await resolve(this.ctx, name, type);
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
    return response;
  }
}
