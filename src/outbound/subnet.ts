import { isIP, isIPv4 } from 'node:net';

/** A range of addresses in CIDR notation. */
export interface Subnet {
  readonly text: string;
  readonly base: string;
  /** Bits of the prefix. */
  readonly length: number;
}

/** Parses `10.1.0.0/16`, `fd00::/8` or one address. Returns null for everything else. */
export function parseSubnet(text: string): Subnet | null {
  const [, base = '', bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  if (isIP(base) === 0) return null;
  const longest = isIPv4(base) ? 32 : 128;
  const length = Number(bits ?? longest);
  return length > longest ? null : { text, base, length };
}
