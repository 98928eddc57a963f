declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    TEST_SERVERS: { [name: string]: number };
    TEST_LONG: boolean;
    /** 20 requests and 5 sends a minute. */
    TEST_REQUEST_RATE_LIMIT: RateLimit;
    TEST_SEND_RATE_LIMIT: RateLimit;
  }
}

declare module "*.toml?raw" {
  const text: string;
  export default text;
}
