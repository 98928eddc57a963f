/** Certificates of servers that OpenSSL takes although they are not DER. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { publicKeyInfo } from "../../../smtp-egress/dane/certificate.ts";
import { chainIssue, peerChain } from "../../../smtp-egress/dane/match-chain.ts";
import { NodeSocket } from "../../../smtp-egress/node-socket.ts";
import { type Chain, makeChain, tlsaOf } from "../support/egress/chains.ts";

let chain: Chain;
beforeAll(async () => {
  chain = await makeChain();
});

/** Returns the server's certificate with a length of its inner part that has so many bytes. */
function withLengthBytes(count: number) {
  const { raw } = chain.leaf;
  const length = Buffer.alloc(count);
  if (count >= 4) length.writeUInt32BE(raw.readUInt16BE(6), count - 4);
  const inner = Buffer.concat([Buffer.of(0x30, 0x80 + count), length, raw.subarray(8)]);
  return Buffer.concat([Buffer.of(0x30, 0x82, inner.length >> 8, inner.length & 0xff), inner]);
}

describe("a certificate", () => {
  it.each([0, 5, 7, 8, 127])("with a length of %i bytes has no key that could be compared", (count) => {
    expect(() => publicKeyInfo({ raw: withLengthBytes(count) })).toThrow("the length is malformed");
  });

  it("that is cut anywhere has no key that could be compared", () => {
    const { raw } = chain.leaf;
    for (let end = 0; end < raw.length; end++)
      expect(() => publicKeyInfo({ raw: raw.subarray(0, end) })).toThrow(RangeError);
  });

  it("that cannot be read fails the connection, and nothing else", async () => {
    const body = withLengthBytes(7).toString("base64").replace(/.{64}/g, "$&\n");
    const cert = `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
    const secureContext = tls.createSecureContext({ key: chain.key, cert });
    const server = net.createServer((socket) => {
      new tls.TLSSocket(socket, { isServer: true, secureContext }).on("error", () => {});
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const expected = { records: [tlsaOf(chain.leaf, 3, 1, 1)], names: ["mx.one.test"] };
    const plain = new NodeSocket(net.connect((server.address() as AddressInfo).port, "127.0.0.1"), {
      rejectUnauthorized: false,
      peerIssue: (socket) => chainIssue(peerChain(socket), expected, Date.now()),
    });
    await plain.opened;
    plain.readable.getReader().releaseLock();
    const secure = plain.startTls();
    await expect(secure.opened).rejects.toThrow("its certificate cannot be read");
    await secure.closed;
  });
});
