/** The part of a socket of Workers that a session uses, so that smtp-egress/ can give sockets of Node the same shape. */
export interface SmtpSocket {
  readonly readable: { getReader(): SocketReader };
  readonly writable: { getWriter(): SocketWriter };
  /** Resolves when the socket is connected, and after startTls() when the handshake is done. */
  readonly opened: Promise<unknown>;
  readonly closed: Promise<void>;
  close(): Promise<void>;
  /** Begins TLS on a socket whose reader and writer were released. */
  startTls(options?: { expectedServerHostname?: string }): SmtpSocket;
}

export interface SocketReader {
  /** Resolves to further bytes, or to `done` when the other side has closed. Rejects when the connection breaks. */
  read(): Promise<{ done: false; value: Uint8Array } | { done: true; value?: undefined }>;
  releaseLock(): void;
}

export interface SocketWriter {
  readonly closed: Promise<unknown>;
  write(bytes: Uint8Array): Promise<void>;
  releaseLock(): void;
}
