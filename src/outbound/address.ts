import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Subnet } from './subnet.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** IPv6 addresses that IANA has given out: all else has no meaning on the internet. */
const GIVEN_OUT = ipaddr.IPv6.parseCIDR('2000::/3');

/** Addresses beyond the public ones that may be reached, and public ones that may not. */
export interface AddressRules {
  readonly allow: readonly Subnet[];
  /** Is stronger than `allow`. */
  readonly deny: readonly Subnet[];
  /** Public addresses may not be reached either, unless they are among `allow`. */
  readonly isClosed?: boolean;
}

/**
 * Returns whether requests may go to the address, which has no brackets. Addresses that embed IPv4
 * (mapped, NAT64, 6to4, Teredo) count as not public, wherever they lead.
 */
export function isReachable(text: string, rules: AddressRules): boolean {
  const { allow, deny, isClosed = false } = rules;
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (deny.some((subnet) => covers(subnet, address))) return false;
  return (!isClosed && isPublic(address)) || allow.some((subnet) => covers(subnet, address));
}

function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(GIVEN_OUT);
}

function covers({ base, length }: Subnet, address: Address): boolean {
  const start = ipaddr.parse(base);
  return address.kind() === start.kind() && address.match(start, length);
}
