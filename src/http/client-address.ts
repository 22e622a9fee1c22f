import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { compileTrust, parameters, type Trusts } from './base-url.js';

/** The address of a client, for counting. */
export interface ClientAddress {
  /** The address: of IPv6 its first 64 bits, which one client has all of. */
  readonly key: string;
  /** It is one of the internet. */
  readonly isPublic: boolean;
  /** A peer that no setting trusts says that it is a proxy. */
  readonly isOfProxy: boolean;
}

/** Finds the addresses of clients: behind trusted proxies, what they say. */
export class ClientAddresses {
  readonly #trusts: Trusts;

  constructor(trustProxy: readonly string[]) {
    this.#trusts = compileTrust(trustProxy);
  }

  /**
   * Returns the address of a request's client: the first one, from the server on, that is of no
   * trusted proxy. A trusted proxy that doesn't name its client counts itself. Null where the
   * connection is gone.
   */
  find(req: IncomingMessage): ClientAddress | null {
    const peer = parseAddress(req.socket.remoteAddress ?? '');
    if (peer === null) return null;
    const claims = claimsOf(req);
    let address = peer;
    for (const [hop, claim] of claims.entries()) {
      const next = this.#trusts(address.toString(), hop) ? parseAddress(claim) : null;
      if (next === null) break;
      address = next;
    }
    const isOfProxy = claims.length > 0 && !this.#trusts(peer.toString(), 0);
    return { key: keyOf(address), isPublic: address.range() === 'unicast', isOfProxy };
  }
}

/** Returns the key of the 65,536th part of all addresses that an address's key belongs to. */
export function coarsenAddress(key: string): string {
  return key.slice(0, COARSE);
}

/** The version, and 16 bits as hexadecimal digits. */
const COARSE = 1 + 16 / 4;
/** Octets of an IPv6 address that count. */
const PREFIX = 8;

function keyOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const octets = Uint8Array.from(address.toByteArray());
  return address.kind() === 'ipv4'
    ? `4${Buffer.from(octets).toString('hex')}`
    : `6${Buffer.from(octets.subarray(0, PREFIX)).toString('hex')}`;
}

/** IPv4 addresses as translators write them (RFC 6052): their last octets are the address. */
const TRANSLATED = 'rfc6052';

/** Parses an address. One of IPv4 within one of IPv6 is itself, however it is written. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const [bare = ''] = text.split('%', 1);
  if (isIP(bare) === 0) return null;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4' || address.range() !== TRANSLATED) return address;
  return ipaddr.fromByteArray(address.toByteArray().slice(-4));
}

/** Returns the addresses that proxies have noted, the nearest first. `Forwarded` wins. */
function claimsOf({ headers }: IncomingMessage): readonly string[] {
  const { forwarded } = headers;
  if (forwarded !== undefined) {
    const elements = forwarded.split(',');
    return elements.map((element) => cutPort(parameters(element).get('for') ?? '')).reverse();
  }
  const list = headers['x-forwarded-for'];
  if (list === undefined) return [];
  const text = Array.isArray(list) ? list.join(',') : list;
  const items = text.split(',').map((item) => item.trim());
  return items.map(cutPort).reverse();
}

/** Takes the port off `192.0.2.1:80` and `[2001:db8::1]:80` (RFC 7239 6). */
function cutPort(text: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::.*)?$/.exec(text) ?? [];
  return bracketed ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, '$1');
}
