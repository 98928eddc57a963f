import { execFile } from "node:child_process";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { newCfblKey } from "../../dev/deploy/cfbl-key.ts";
import { findRefusals } from "../../dev/deploy/check.ts";
import {
  composeConfig,
  ENVIRONMENTS,
  type EnvironmentFile,
  queueNames,
  readWorkerConfig,
} from "../../dev/deploy/compose.ts";
import { dnsRecords } from "../../dev/deploy/dns-records.ts";
import { composeSecrets, saveSecrets } from "../../dev/deploy/secrets.ts";
import { isFull } from "./support/extent.ts";
import { printedCommands, StandIn } from "./support/stand-in.ts";
import { temporaryFolder } from "./support/suite.ts";
import { findUnknown } from "./support/wrangler-help.ts";

const root = path.join(import.meta.dirname, "../..");
const complete: EnvironmentFile = {
  vars: {
    PUBLIC_URL: "https://mail.shop.se",
    MX_HOST: "mx.shop.se",
    SMTP_HOST: "smtp.shop.se",
    SPF_DOMAIN: "spf.shop.se",
    BOUNCE_DOMAIN: "bounces.shop.se",
  },
  databases: {},
};
const folder = temporaryFolder();
let settings: string;

beforeAll(async () => {
  settings = path.join(folder, "settings.json");
  await writeFile(settings, JSON.stringify(complete));
});
/** Runs `npm run deploy` and returns its exit code and output. `env` is added to the environment. */
async function deploy(args: string[], env: Record<string, string> = {}) {
  const node = path.join(root, "node_modules/.bin/node");
  const PATH = [path.join(root, "node_modules/.bin"), process.env.PATH].join(path.delimiter);
  const flags = ["--disable-warning=ExperimentalWarning", path.join(root, "dev/deploy.ts"), ...args];
  const {
    code = 0,
    stdout,
    stderr,
  } = (await promisify(execFile)(node, flags, {
    env: { ...process.env, EGRESS_URL: "", PATH, ...env },
  }).catch((error: { code: number; stdout: string; stderr: string }) => error)) as {
    code?: number;
    stdout: string;
    stderr: string;
  };
  return { code, output: stdout + stderr };
}

describe("npm run deploy", () => {
  it.each(ENVIRONMENTS)(
    "refuses the placeholders of a fresh copy for %s, each with a sentence that says what to set",
    async (env) => {
      const file = `environments/${env}.json`;
      const fresh = JSON.parse(await readFile(path.join(root, file), "utf8")) as EnvironmentFile;
      const refusals = findRefusals(composeConfig(readWorkerConfig(), env, fresh), fresh, file).join("\n");
      for (const name of Object.keys(complete.vars))
        expect(refusals).toMatch(
          new RegExp(`^${name} is a placeholder; set .+ in environments/${env}\\.json\\.$`, "m"),
        );
    },
  );

  it.each(isFull ? ENVIRONMENTS : ENVIRONMENTS.slice(0, 1))("says so for %s, and does nothing", async (env) => {
    const { code, output } = await deploy(["--env", env, "--dry-run"]);
    expect(code).toBe(1);
    for (const name of Object.keys(complete.vars)) expect(output).toContain(`\n${name} is a placeholder; set `);
    expect(output).not.toContain("would");
  });

  it.each([
    ["PUBLIC_URL", "http://127.0.0.1:8787"],
    ["PUBLIC_URL", "mail.shop.se"],
    ["MX_HOST", "mx.mail.test"],
    ["SMTP_PORT", "0"],
    ["SIGN_UP", "everybody"],
    ["SYSTEM_MAILBOX", "Service <hello@shop.se>"],
    ["SYSTEM_MAILBOX", "hello@shop.se\r\nBcc: x@shop.se"],
  ])("refuses %s of %s", (name, value) => {
    const config = composeConfig(readWorkerConfig(), "production", {
      ...complete,
      vars: { ...complete.vars, [name]: value },
    });
    expect(findRefusals(config, complete, "environments/production.json")).toEqual([expect.stringContaining(name)]);
  });

  it("refuses a route of bounces that it does not know", () => {
    const file = { ...complete, bounce_route: "email routing" };
    const refusals = findRefusals(
      composeConfig(readWorkerConfig(), "staging", file),
      file,
      "environments/staging.json",
    );
    expect(refusals).toEqual([
      'bounce_route is "email routing"; set one of gateway, email-routing in environments/staging.json.',
    ]);
  });

  it.each(isFull ? ENVIRONMENTS : ENVIRONMENTS.slice(0, 1))(
    "--dry-run for %s prints each step and builds less than 950 KiB after gzip",
    async (env) => {
      const { code, output } = await deploy([
        "--env",
        env,
        "--dry-run",
        "--settings",
        settings,
        "--secrets",
        path.join(folder, "no"),
      ]);
      expect(code, output).toBe(0);
      expect(output).toContain(`email-delivery-${env}-mail-0`);
      expect(output).toContain("bounces.shop.se  MX   10 mx.shop.se.");
      expect(Number(/has ([\d.]+) KiB after gzip/.exec(output)?.[1])).toBeLessThan(950);
      expect(JSON.parse(await readFile(settings, "utf8"))).toEqual(complete);
      await expect(stat(path.join(folder, "no"))).rejects.toThrow();
    },
  );
});

describe("the configuration of an environment", () => {
  const compose = (env: (typeof ENVIRONMENTS)[number]) => composeConfig(readWorkerConfig(), env, complete);

  it("has every binding of wrangler.toml, and shares no name with local work or the other environment", () => {
    const top = readWorkerConfig();
    const namesOf = (config: typeof top) => [
      config.name,
      ...config.d1_databases.map(({ database_name }) => database_name),
      ...config.r2_buckets.map(({ bucket_name }) => bucket_name),
      ...config.queues.consumers.map(({ queue }) => queue),
      ...config.ratelimits.map(({ namespace_id }) => namespace_id),
    ];
    const [production, staging] = ENVIRONMENTS.map(compose);
    expect(Object.keys(production ?? {})).toEqual(expect.arrayContaining(Object.keys(top)));
    expect(namesOf(production ?? top)).toHaveLength(namesOf(top).length);
    for (const config of [production, staging])
      expect(config).toHaveProperty("assets.run_worker_first", expect.arrayContaining(["/v1/*"]));
    const names = [...namesOf(production ?? top), ...namesOf(staging ?? top)];
    // The limits of production have the numbers of local work, which are not counted in an account.
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(ENVIRONMENTS)("delivers events to webhooks in a fresh copy of %s", async (env) => {
    const fresh = JSON.parse(await readFile(path.join(root, `environments/${env}.json`), "utf8")) as EnvironmentFile;
    expect(composeConfig(readWorkerConfig(), env, fresh).vars.LIVE_WEBHOOKS).toBe("on");
  });

  it("has a mail database that was added to wrangler.toml, without an id until it is created", () => {
    const top = readWorkerConfig();
    const last = top.d1_databases.at(-1);
    if (!last) throw new Error("wrangler.toml has databases");
    const added = { ...last, binding: "MAIL_2", database_name: "email-delivery-mail-2", database_id: "any" };
    const config = composeConfig({ ...top, d1_databases: [...top.d1_databases, added] }, "production", complete);
    expect(config.d1_databases.at(-1)).toEqual({
      binding: "MAIL_2",
      database_name: `${top.name}-production-mail-2`,
      database_id: "",
      migrations_dir: "migrations/mail",
    });
  });

  it("names the queues of the Worker in its variables, and gives every queue and its dead-letter queue a name", () => {
    const { vars, queues } = compose("staging");
    expect(queues.consumers.map(({ queue }) => queue)).toEqual(
      expect.arrayContaining([vars.WORK_QUEUE, vars.HITS_QUEUE]),
    );
    expect(queueNames({ queues })).toEqual(expect.arrayContaining(["email-delivery-staging-work-dead"]));
    expect(vars.ENVIRONMENT).toBe("staging");
  });
});

describe("npm run deploy with an account", () => {
  let log: string;
  let secrets: string;
  let standIn: StandIn;

  beforeAll(async () => {
    log = path.join(folder, "wrangler.log");
    secrets = path.join(folder, "secrets.json");
    standIn = await StandIn.create(folder);
  });

  const run = (env: Record<string, string>, ...more: string[]) =>
    deploy(["--env", "staging", "--settings", settings, "--secrets", secrets, ...more], { PATH: standIn.path, ...env });
  const everyCall: string[] = [];
  const logged = async () => {
    const lines = await standIn.takeLog();
    everyCall.push(...lines.filter((line) => line.startsWith("wrangler ")));
    return lines;
  };

  const wrongEgresses: [string, string][] = [
    ["smtps://user:hunter2@relay.shop.se/?tsl=off", "EGRESS_URL: has an unknown option"],
    ["", "EGRESS_URL is not set; give the SMTP server"],
    ["relay.shop.se", "EGRESS_URL: not a URL"],
    ["smtp://user:hunter2@relay.shop.se:25", "EGRESS_URL: has port 25, to which no Cloudflare Worker can connect"],
  ];

  it.each([
    ["east=smtps://user:hunter2@relay.shop.se/?tsl=off", "NAMED_EGRESS_URLS: east: has an unknown option"],
    ["smtps://user:hunter2@relay.shop.se/?dsn=on", "NAMED_EGRESS_URLS: entry 1 must begin with a name"],
    [
      "main=smtps://user:hunter2@relay.shop.se",
      "NAMED_EGRESS_URLS: entry 1 has the name main, which another setting has",
    ],
    ["east=smtp://relay.shop.se:25", "NAMED_EGRESS_URLS: east: has port 25"],
    ["a=smtp://a.se a=smtp://b.se", "NAMED_EGRESS_URLS: entry 2 repeats the name a"],
    [Array.from({ length: 25 }, (_, n) => `e${n}=smtp://a.se`).join(" "), "has 25 egresses; the limit is 24"],
    [`a=smtp://${"a".repeat(5_000)}`, "NAMED_EGRESS_URLS: has 5009 characters; the limit is 5000"],
  ])("has no secrets with the named egresses %j", async (NAMED_EGRESS_URLS, reason) => {
    const given = { ...process.env, EGRESS_URL: "smtps://relay.shop.se", NAMED_EGRESS_URLS };
    const refusal = await composeSecrets(secrets, given).catch((error: Error) => error.message);
    expect(refusal).toContain(reason);
    expect(refusal).not.toContain("hunter2");
  });

  it("keeps the named egresses of the file, and takes those of the environment", async () => {
    const file = path.join(folder, "named.json");
    const NAMED_EGRESS_URLS = "east=smtp://a.se\nwest=smtp://b.se";
    await writeFile(file, JSON.stringify({ EGRESS_URL: "smtps://relay.shop.se", NAMED_EGRESS_URLS }));
    const none = { ...process.env, EGRESS_URL: "", NAMED_EGRESS_URLS: "" };
    expect(await composeSecrets(file, none)).toMatchObject({ NAMED_EGRESS_URLS });
    const other = { NAMED_EGRESS_URLS: "north=smtp://c.se" };
    expect(await composeSecrets(file, { ...none, ...other })).toMatchObject(other);
  });

  it("makes a key for complaints once, prints its record and that of the next one, and takes the empty text as none", async () => {
    const file = path.join(folder, "cfbl.json");
    const given = { ...process.env, EGRESS_URL: "smtps://relay.shop.se", CFBL_DKIM_KEY: "" };
    const made = await composeSecrets(file, given);
    await saveSecrets(file, made);
    expect(await composeSecrets(file, given)).toEqual(made);
    const next = `${made.CFBL_DKIM_KEY},next:${(await newCfblKey(new Date())).split(":")[1]}`;
    const records = dnsRecords(complete.vars, false, next).filter((record) => record.includes("_domainkey"));
    expect(records).toEqual([
      expect.stringMatching(/^cfbl-\d{6}\._domainkey\.bounces\.shop\.se {2}TXT {2}"v=DKIM1; k=rsa; p=MII[^"]{380,}"/),
      expect.stringMatching(/^next\._domainkey\.bounces\.shop\.se {2}TXT {2}"v=DKIM1; k=rsa; p=MII[^"]{380,}"/),
    ]);
    await saveSecrets(file, { ...made, CFBL_DKIM_KEY: "" });
    expect(await composeSecrets(file, given)).toMatchObject({ CFBL_DKIM_KEY: "" });
    const refusal = await composeSecrets(file, { ...given, CFBL_DKIM_KEY: "s:c2VjcmV0" }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).toBe(`CFBL_DKIM_KEY: key 1 must be the base64 of an RSA key of 2048 bits in PKCS #8 (${file})`);
  });

  it.each(wrongEgresses)("has no secrets with an egress of %j", async (EGRESS_URL, reason) => {
    const refusal = await composeSecrets(secrets, { ...process.env, EGRESS_URL }).catch(
      (error: Error) => error.message,
    );
    expect(refusal).toContain(reason);
    expect(refusal).not.toContain("hunter2");
  });

  it.each(isFull ? wrongEgresses : wrongEgresses.slice(0, 1))(
    "creates nothing with an egress of %j",
    async (EGRESS_URL, reason) => {
      const { code, output } = await run({ EGRESS_URL });
      expect(code).toBe(1);
      expect(output).toContain(reason);
      expect(output).not.toContain("hunter2");
      await expect(stat(log)).rejects.toThrow("ENOENT");
      await expect(stat(secrets)).rejects.toThrow("ENOENT");
    },
  );

  it("creates what is missing, records ids, migrates, and deploys strictly with secrets in a file of its owner", async () => {
    const { code, output } = await run({ EGRESS_URL: "smtps://user:hunter2@relay.shop.se" });
    expect(output).toContain("The account needs the Workers Paid plan");
    expect(output).toContain("Publish these DNS records");
    expect(output).toMatch(/cfbl-\d{6}\._domainkey\.bounces\.shop\.se {2}TXT/);
    expect(output).toContain("SYSTEM_MAILBOX is empty: no sign-in links, invitations and notices are sent.");
    expect(output).toContain("npm run admin -- sign-in-link --url https://mail.shop.se");
    expect(code).toBe(0);
    expect(JSON.parse(await readFile(settings, "utf8")).databases.MAIL_1).toBe("id-of-email-delivery-staging-mail-1");
    const made = JSON.parse(await readFile(secrets, "utf8"));
    expect(made).toMatchObject({
      MASTER_KEYS: expect.stringMatching(/^1:.{44}$/),
      EGRESS_URL: expect.stringContaining("hunter2"),
    });
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    const lines = await logged();
    const rule = "end-unfinished-uploads --abort-multipart-days 1 --force";
    expect(lines).toContain(`wrangler r2 bucket lifecycle add email-delivery-staging-content ${rule}`);
    expect(lines.join("\n")).not.toContain("--expire");
    const last = lines.at(-1) ?? "";
    expect(last).toContain("--strict --secrets-file");
    expect(lines.findLastIndex((line) => line.includes("migrate.ts --remote"))).toBe(lines.length - 2);
    expect(`${lines.join("\n")}${output}`).not.toContain("hunter2");
  });

  it("may be repeated: keeps secrets and ids, and creates no database twice", async () => {
    const before = await readFile(secrets, "utf8");
    // No Worker runs here; test/host/deploy-rotation.full.test.ts has one, which is asked for its keys.
    expect((await run({}, "--keep-keys")).code).toBe(0);
    expect(await readFile(secrets, "utf8")).toBe(before);
    expect((await logged()).filter((line) => /d1 create|lifecycle add/.test(line))).toEqual([]);
  });

  it("refuses to replace master keys that it does not have, and a file of secrets that it cannot read", async () => {
    const elsewhere = path.join(folder, "elsewhere.json");
    const other = () =>
      deploy(["--env", "staging", "--settings", settings, "--secrets", elsewhere], {
        PATH: standIn.path,
        EGRESS_URL: "smtps://user:hunter2@relay.shop.se",
      });
    const { code, output } = await other();
    expect(code).toBe(1);
    expect(output).toContain(`email-delivery-staging has MASTER_KEYS, but ${elsewhere} does not.`);
    expect(await logged()).toEqual(["wrangler secret list --name email-delivery-staging"]);
    await expect(stat(elsewhere)).rejects.toThrow("ENOENT");
    await writeFile(elsewhere, "{");
    expect((await other()).output).toContain(`${elsewhere} cannot be read`);
  });

  it.runIf(isFull)(
    "turns on Email Routing of the bounce domain when it is asked to, and gives its mail to the Worker",
    async () => {
      const stored = JSON.parse(await readFile(settings, "utf8")) as EnvironmentFile;
      await writeFile(settings, JSON.stringify({ ...stored, bounce_route: "email-routing" }));
      const { code, output } = await run({}, "--keep-keys");
      expect(code, output).toBe(0);
      expect(await logged()).toContain("wrangler email routing enable bounces.shop.se");
      const written = JSON.parse(await readFile(path.join(root, "wrangler.staging.json"), "utf8"));
      expect(written.addresses).toEqual(["*@bounces.shop.se"]);
      expect(output).not.toMatch(/^ *bounces\.shop\.se {2}MX/m);
      expect(output).toContain(
        'bounces.shop.se  TXT  "v=spf1 include:_spf.mx.cloudflare.net include:spf.shop.se -all"',
      );
      const printed = printedCommands(output);
      expect(printed).toEqual(["npx wrangler email routing dns get bounces.shop.se"]);
      for (const command of printed) expect(await standIn.run(command)).toMatchObject({ code: 0 });
      const kept = JSON.parse(await readFile(settings, "utf8")) as EnvironmentFile;
      expect(kept.bounce_route).toBe("email-routing");
    },
  );

  it.runIf(isFull)("uses only commands and options that the installed wrangler has", async () => {
    const calls = [...new Set(everyCall.map((line) => line.replace(/email-delivery-staging[\w-]*/g, "x")))];
    expect(calls.length).toBeGreaterThan(5);
    const unknown = await Promise.all(calls.map((call) => findUnknown(call.split(" ").slice(1))));
    expect(unknown.flat()).toEqual([]);
    expect(await findUnknown(["d1", "make", "x"])).toEqual(["wrangler d1 make x"]);
    expect(await findUnknown(["d1", "create", "x", "--place"])).toEqual(["--place"]);
  });
});
