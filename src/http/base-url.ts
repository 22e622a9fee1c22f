import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { TransportServices } from './shared.js';

/** A host with an optional port, nothing that could break out of a URL: names, IPv4, [IPv6]. */
const HOST = /^(?:[A-Za-z0-9](?:[A-Za-z0-9._-]{0,253})|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;

/** Returns whether an address is one of a trusted proxy; `hop` 0 is the peer. */
export type Trusts = (address: string, hop: number) => boolean;

/** Throws TypeError for a `trustProxy` that is no address, subnet or name of proxy-addr. */
export function compileTrust(trustProxy: readonly string[]): Trusts {
  return trustProxy.length === 0 ? () => false : proxyAddr.compile([...trustProxy]);
}

/** Finds the base URL for answers. */
export class BaseUrls {
  /** The path part, without a trailing slash: '' or '/api'. */
  readonly path: string;
  readonly #configured: string | null;
  readonly #trusts: Trusts;

  /** Throws TypeError for a `trustProxy` that is no address, subnet or name of proxy-addr. */
  constructor({ baseUrl, trustProxy }: Pick<TransportServices, 'baseUrl' | 'trustProxy'>) {
    this.path = baseUrl === null ? '' : baseUrl.pathname.replace(/\/+$/, '');
    this.#configured = baseUrlText(baseUrl);
    this.#trusts = compileTrust(trustProxy);
  }

  /**
   * Returns the base URL for the answer to a request: the configured one, else one from the
   * request's host. Headers of a trusted proxy go first. Null where the host is malformed.
   */
  find(req: IncomingMessage): string | null {
    if (this.#configured !== null) return this.#configured;
    const forwarded = forwardedOf(req, this.#trusts);
    const host = forwarded.host ?? req.headers.host ?? listeningHost(req.socket);
    return HOST.test(host) ? `${forwarded.protocol ?? 'http'}://${host}` : null;
  }
}

/** Returns a configured base URL as text, without a trailing slash. */
export function baseUrlText(baseUrl: URL | null): string | null {
  return baseUrl === null ? null : baseUrl.href.replace(/\/+$/, '');
}

interface Forwarded {
  readonly protocol: 'http' | 'https' | null;
  readonly host: string | null;
}

const DIRECT: Forwarded = Object.freeze({ protocol: null, host: null });

function forwardedOf(req: IncomingMessage, trusts: Trusts): Forwarded {
  const peer = req.socket.remoteAddress;
  if (peer === undefined || !trusts(peer, 0)) return DIRECT;
  // Each proxy appends a value: that of the outermost trusted proxy is `hops` from the end.
  const hops = Math.max(1, proxyAddr.all(req, trusts).length - 1);
  const header = (name: string): string | null => {
    const value = req.headers[name];
    const list = (Array.isArray(value) ? value.join(',') : (value ?? '')).split(',');
    const items = list.map((item) => item.trim()).filter((item) => item !== '');
    return items[Math.max(0, items.length - hops)] ?? null;
  };
  const standard = parameters(header('forwarded') ?? '');
  const protocol = (standard.get('proto') ?? header('x-forwarded-proto') ?? '').toLowerCase();
  return {
    protocol: protocol === 'http' || protocol === 'https' ? protocol : null,
    host: standard.get('host') ?? header('x-forwarded-host'),
  };
}

/** Returns the parameters of one element of a Forwarded header (RFC 7239 4). */
export function parameters(element: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of element.split(';')) {
    const at = pair.indexOf('=');
    if (at < 0) continue;
    const value = pair.slice(at + 1).trim();
    found.set(pair.slice(0, at).trim().toLowerCase(), value.replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** HTTP/1.0 needs no Host header: then it is the address that the connection came in by. */
function listeningHost(socket: Socket): string {
  const address = (socket.localAddress ?? '127.0.0.1').replace(/^::ffff:(?=\d+\.)/, '');
  return `${address.includes(':') ? `[${address}]` : address}:${socket.localPort ?? 80}`;
}
