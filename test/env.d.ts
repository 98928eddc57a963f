declare namespace Cloudflare {
  interface Env {
    /** Statements of all migrations of a kind of database, in order. */
    TEST_MIGRATIONS: Record<"main" | "mail" | "beforeSplit" | "split", string[]>;
    /** Databases without tables, each for one test file. */
    TEST_OLD: D1Database;
    TEST_OLD_MAIN: D1Database;
    TEST_BROADCASTS: D1Database;
    TEST_SERVERS: { [name: string]: number };
    /** True in `npm run test:full` and `test:long`. */
    TEST_FULL: boolean;
    /** True in `npm run test:long`. */
    TEST_LONG: boolean;
    /** 20 requests and 5 sends a minute. */
    TEST_REQUEST_RATE_LIMIT: RateLimit;
    TEST_SEND_RATE_LIMIT: RateLimit;
  }
}

declare module "*.txt?raw" {
  const text: string;
  export default text;
}
declare module "*.toml?raw" {
  const text: string;
  export default text;
}
declare module "*.yml?raw" {
  const text: string;
  export default text;
}
