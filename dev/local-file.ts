import { rm } from "node:fs/promises";
import { HOST, type Layout, type Ports } from "./layout.ts";
import type { Seed } from "./seed.ts";
import { readJson, writeDurably } from "./state/files.ts";

/** What `npm start` tells other programs once it is ready. */
export interface LocalService {
  base_url: string;
  api_key: string;
  workspace_id: string;
  domain: string;
  mailbox: string;
  captured_mail_url: string;
  /** What is in DNS, for people; the resolver is at `/dns-query` below it. */
  dns_url: string;
  ports: Ports;
}

/** Where the API is, once the Worker runs. */
export function apiUrl(layout: Layout): string {
  return `http://${HOST}:${layout.ports.api}/v1`;
}

/** Says that the service is ready, and where. */
export async function publish(layout: Layout, seed: Seed): Promise<LocalService> {
  const local = {
    base_url: apiUrl(layout),
    api_key: seed.apiKey,
    workspace_id: seed.workspaceId,
    domain: seed.domain,
    mailbox: seed.mailbox,
    captured_mail_url: `http://${HOST}:${layout.ports.captured_mail}`,
    dns_url: `http://${HOST}:${layout.ports.dns}`,
    ports: layout.ports,
  };
  await writeDurably(layout.localFile, `${JSON.stringify(local, null, 2)}\n`, 0o600);
  return local;
}

/** Takes back what an earlier start said. */
export async function unpublish(layout: Layout) {
  await rm(layout.localFile, { force: true });
}

/** What the running service said; null while it is not ready. */
export async function readLocalService(layout: Layout): Promise<LocalService | null> {
  return readJson<LocalService>(layout.localFile);
}
