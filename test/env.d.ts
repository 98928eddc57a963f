declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    TEST_SERVERS: { [name: string]: number };
    TEST_LONG: boolean;
  }
}
