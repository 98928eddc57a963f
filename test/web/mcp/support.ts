import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { consent, ISSUER, REDIRECT_URI, workerFetch } from "../../support/oauth.ts";
import type { TestWorkspace } from "../../support/workspace.ts";

const MCP_URL = new URL(`${ISSUER}/mcp`);

let addresses = 0;

/** Calls the Worker from an address that no other client has, since registrations are limited by address. */
function fromOwnAddress() {
  addresses += 1;
  const address = `192.0.2.${addresses}`;
  return (url: string | URL, init?: RequestInit) => {
    const headers = new Headers(init?.headers);
    headers.set("CF-Connecting-IP", address);
    return workerFetch(url, { ...init, headers });
  };
}

/** Returns a client of the official SDK that is connected with a token. It validates results by the listed output schemas. */
export async function connected(token: string): Promise<Client> {
  const client = new Client({ name: "a client", version: "1.0.0" });
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(MCP_URL, { fetch: workerFetch, requestInit }));
  await client.listTools();
  return client;
}

/** The OAuth side of a client of the official SDK. The user consents to whatever it asks for. */
class ConsentingUser implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT_URI;
  readonly clientMetadata;
  location: URL | null = null;
  stored: { client?: StoredOAuthClientInformation; tokens?: StoredOAuthTokens; verifier?: string } = {};
  readonly #owner: TestWorkspace;

  constructor(owner: TestWorkspace, scope: string) {
    this.#owner = owner;
    this.clientMetadata = { redirect_uris: [REDIRECT_URI], client_name: "An SDK client", scope };
  }
  clientInformation = () => this.stored.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.stored.client = client;
  };
  tokens = () => this.stored.tokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.stored.tokens = tokens;
  };
  saveCodeVerifier = (verifier: string) => {
    this.stored.verifier = verifier;
  };
  codeVerifier = () => this.stored.verifier ?? "";
  async redirectToAuthorization(url: URL) {
    const response = await consent(this.#owner, url);
    this.location = new URL(response.headers.get("Location") ?? "");
  }
}

/** Connects a client of the official SDK by its own OAuth flow. `scope`: what it asks for. */
export async function connectedByOAuth(owner: TestWorkspace, scope: string) {
  const user = new ConsentingUser(owner, scope);
  const fetch = fromOwnAddress();
  const create = () => new StreamableHTTPClientTransport(MCP_URL, { fetch, authProvider: user });
  const first = create();
  const refused = await new Client({ name: "a client", version: "1.0.0" }).connect(first).then(
    () => null,
    (error: unknown) => error,
  );
  await first.finishAuth(user.location?.searchParams ?? new URLSearchParams());
  const client = new Client({ name: "a client", version: "1.0.0" });
  await client.connect(create());
  return { client, user, refused };
}

/** Calls a tool and returns its text, parsed when it is a result. Throws when the structured content is not the same. */
export async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: args });
  // A mark of foreign words may come before the result.
  const text = (content as { type: string; text: string }[]).at(-1)?.text ?? "";
  const isResult = isError !== true;
  if (isResult && JSON.stringify(structuredContent) !== text) throw new Error(`${name} returned two different results`);
  return { isError: !isResult, text, value: isResult ? JSON.parse(text) : null };
}
