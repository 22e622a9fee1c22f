import { isIP, isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses in CIDR notation. */
export interface Subnet {
  readonly text: string;
  has(address: Address): boolean;
}

/** IPv6 addresses that IANA has given out: all else has no meaning on the internet. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/** Parses `10.1.0.0/16`, `fd00::/8` or one address. Returns null for everything else. */
export function parseSubnet(text: string): Subnet | null {
  const [, host = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (isIP(host) === 0) return null;
  const longest = isIPv4(host) ? 32 : 128;
  const length = Number(bits ?? longest);
  if (length > longest) return null;
  const base = ipaddr.parse(host);
  return {
    text,
    has: (address) => address.kind() === base.kind() && address.match(base, length),
  };
}

/** Addresses beyond the public ones that may be reached, and public ones that may not. */
export interface AddressRules {
  readonly allow: readonly Subnet[];
  /** Is stronger than `allow`. */
  readonly deny: readonly Subnet[];
}

/**
 * Returns whether pushes may go to the address, which has no brackets. Addresses that embed IPv4
 * (mapped, NAT64, 6to4, Teredo) count as not public, wherever they lead.
 */
export function isReachable(text: string, { allow, deny }: AddressRules): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (deny.some((subnet) => subnet.has(address))) return false;
  return isPublic(address) || allow.some((subnet) => subnet.has(address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GIVEN_OUT);
}
