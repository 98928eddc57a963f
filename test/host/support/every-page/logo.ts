import { crc32, deflateSync } from "node:zlib";
import type { Site } from "../pages.ts";

const SIZE = 96;

/** Returns a picture: a green leaf. */
function drawLogo(): Buffer<ArrayBuffer> {
  const rows = Array.from({ length: SIZE }, (_, y) => {
    const isInside = (x: number) => Math.hypot(x - 20, y - 76) < 72 && Math.hypot(x - 76, y - 20) < 72;
    const pixels = Array.from({ length: SIZE }, (__, x) => (isInside(x) ? [46, 125, 50, 255] : [0, 0, 0, 0]));
    return [0, ...pixels.flat()];
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 6], 8);
  const chunk = (type: string, data: Uint8Array) => {
    const content = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(content));
    return Buffer.concat([length, content, sum]);
  };
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  const data = deflateSync(Buffer.from(rows.flat()));
  return Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", data), chunk("IEND", Buffer.alloc(0))]);
}

/** Uploads the logo of the seeded workspace, and sets its brand. Returns the id of the picture. */
export async function seedBrand({ host, call, workspace }: Site): Promise<string> {
  const body = new FormData();
  body.set("file", new Blob([drawLogo()]), "leaf.png");
  const headers = { Authorization: `Bearer ${workspace.apiKey}` };
  const response = await fetch(`${host.url}/v1/pictures`, { method: "POST", headers, body });
  const { id, url } = (await response.json()) as { id: string; url: string };
  const brand = { logo_url: url, color: "#2e7d32", address: "Teehaus am Wall GmbH\nAm Wall 12, 28195 Bremen" };
  await call("PATCH", `/v1/workspaces/${workspace.workspaceId}`, { settings: { brand } });
  return id;
}
