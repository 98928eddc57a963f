import { decode, encode } from "dns-packet";

/** Returns the TXT records of a name at a DNS server that speaks HTTPS (RFC 8484), each with its strings joined. */
export async function lookUpTxt(server: string, name: string): Promise<string[]> {
  const question = encode({ type: "query", id: 0, questions: [{ type: "TXT", name }] });
  const response = await fetch(`${server}/dns-query?dns=${question.toString("base64url")}`);
  const { answers = [] } = decode(Buffer.from(await response.arrayBuffer()));
  return answers.flatMap((answer) => (answer.type === "TXT" ? [[answer.data].flat().join("")] : []));
}
