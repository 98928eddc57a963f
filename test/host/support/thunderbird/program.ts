/** Debian's Thunderbird without a screen, with a profile of its own, in a network that leads to this machine only. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { eventually } from "../gateway-rig.ts";
import { Marionette } from "./marionette.ts";

const STOP_MS = 10_000;
const SCRIPT_MS = 60_000;

/** Returns why Thunderbird is not available, or null. With REQUIRE_TOOLS=1 it throws instead. */
export function thunderbirdUnavailable(): string | null {
  if (!spawnSync("thunderbird", ["--version"]).error) return null;
  const reason = "thunderbird is not installed; on Debian: apt-get install thunderbird";
  if (process.env.REQUIRE_TOOLS === "1") throw new Error(`REQUIRE_TOOLS: ${reason}`);
  console.warn(`SKIPPED, ${reason}: it was not tested`);
  return reason;
}

/** Settings of a profile. `ports` leads ports that the program asks for to ports of this machine. */
const preferences = (ports: Readonly<Record<number, number>>) => ({
  "marionette.port": 0,
  "network.dns.forceResolve": "127.0.0.1",
  "network.socket.forcePort": Object.entries(ports)
    .map((pair) => pair.join("="))
    .join(";"),
  // It asks the Internet whether there is one, and works offline when there is none.
  "network.manage-offline-status": false,
  "network.connectivity-service.enabled": false,
  "network.captive-portal-service.enabled": false,
  "app.update.disabledForTesting": true,
  "datareporting.policy.dataSubmissionEnabled": false,
  "extensions.update.enabled": false,
  "mailnews.start_page.enabled": false,
  "mailnews.database.global.indexer.enabled": false,
  "mail.rights.version": 1,
  "mail.shell.checkDefaultClient": false,
  "mail.biff.show_alert": false,
  "mail.biff.play_sound": false,
  // It ends its connection for sending five seconds after a message, and a test goes on with that connection.
  "mail.smtpserver.default.quit_delay_ms": 600_000,
  // Marionette turns it off, and then a program that starts again asks for the password before Marionette answers.
  "signon.rememberSignons": true,
  // Buttons of a dialog work at once.
  "security.dialog_enable_delay": 0,
});

/** Begins a call of a function of inside.mjs: what each takes and returns is said there. */
const BEGIN = `
const [folder, id, name, input, done] = arguments;
const handler = Services.io.getProtocolHandler("resource").QueryInterface(Ci.nsIResProtocolHandler);
handler.setSubstitution("test-support", Services.io.newURI(folder));
const inside = ChromeUtils.importESModule("resource://test-support/inside.mjs");
inside.begin(id, () => inside[name](input));
done(true);`;

/** Returns the result of a call. */
const TAKE = `
const [id, done] = arguments;
ChromeUtils.importESModule("resource://test-support/inside.mjs").results.get(id).then(done);`;

const FLAGS = ["--headless", "--marionette", "--remote-allow-system-access", "--no-remote"];

export class Thunderbird {
  readonly #folder: string;
  /** Base64 of the DER of the authority that it trusts. */
  readonly #authority: string;
  #child: ChildProcess | null = null;
  #marionette: Marionette | null = null;
  #calls = 0;

  private constructor(folder: string, authority: string) {
    this.#folder = folder;
    this.#authority = authority.replace(/-----[^-]+-----|\s/g, "");
  }

  /** Starts the program with a new profile, which trusts the authority (PEM). */
  static async start(authority: string, ports: Readonly<Record<number, number>>): Promise<Thunderbird> {
    const folder = await mkdtemp(path.join(os.tmpdir(), "thunderbird-"));
    const lines = Object.entries(preferences(ports)).map((pair) => `user_pref(${pair.map(toJson).join(", ")});\n`);
    await writeFile(path.join(folder, "user.js"), lines.join(""));
    const program = new Thunderbird(folder, authority);
    await program.#launch();
    return program;
  }

  /** Ends the program, does `work`, and starts the program again with its profile. */
  async restart(work: () => Promise<void>): Promise<void> {
    await this.#quit();
    await work();
    await this.#launch();
  }

  /** Calls a function of inside.mjs in the program and returns its value. Throws its error. */
  async call<Value>(name: string, input: unknown = null): Promise<Value> {
    const marionette = this.#marionette;
    if (!marionette) throw new Error("Thunderbird does not run");
    const id = ++this.#calls;
    await marionette.run(BEGIN, [`${pathToFileURL(import.meta.dirname).href}/`, id, name, input]);
    for (;;) {
      // A dialog that comes up ends the script that waits, with null, and not the call.
      const result = (await marionette.run(TAKE, [id])) as { value: Value } | { error: string } | null;
      if (result && "error" in result) throw new Error(`${name}: ${result.error}`);
      if (result) return result.value;
    }
  }

  /** Ends the program and deletes its profile. */
  async close(): Promise<void> {
    await this.#quit();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #launch(): Promise<void> {
    const portFile = path.join(this.#folder, "MarionetteActivePort");
    await rm(portFile, { force: true });
    const log = await open(path.join(this.#folder, "log"), "a");
    const child = spawn("thunderbird", [...FLAGS, "--profile", this.#folder], {
      // Own process group, so that a SIGKILL to the group reaches all its processes.
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      env: { ...process.env, HOME: this.#folder },
    });
    await log.close();
    this.#child = child;
    try {
      const port = await eventually(async () => (await readFile(portFile, "utf8").catch(() => "")) || undefined);
      this.#marionette = await Marionette.connect(Number(port), SCRIPT_MS);
      await this.call("prepare", this.#authority);
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #quit(): Promise<void> {
    const [child, marionette] = [this.#child, this.#marionette];
    this.#child = null;
    this.#marionette = null;
    if (child && marionette) {
      const exited = once(child, "exit");
      void marionette.send("Marionette:Quit", { flags: ["eForceQuit"] }).catch(() => {});
      await Promise.race([exited, sleep(STOP_MS, undefined, { ref: false })]);
      marionette.close();
    }
    if (child) killGroup(child);
  }
}

/** Ends what is left of a program that was started in a process group of its own. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group has no process.
  }
}

const toJson = (value: string | number | boolean) => JSON.stringify(value);
