import type { LookupAddress } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { type AddressRules, isReachable } from './address.js';
import type { HostGlob } from './host-glob.js';

/** Resolves to all addresses of a name; to none, or rejects, where there is no such name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

export interface ReachOptions extends AddressRules {
  /** Where it isn't empty, no other host may be reached. */
  readonly hosts: readonly HostGlob[];
  /** By default DNS alone. */
  readonly resolve?: Resolve;
}

/** A name leads nowhere: it has no address, or one that may not be reached. */
export class UnreachableNameError extends Error {
  override readonly name = 'UnreachableNameError';
  readonly code = 'ENOTFOUND';
  /** An address that may not be reached, for the log alone; null where there is none. */
  readonly inside: string | null;

  constructor(name: string, inside: string | null) {
    super(`${name} leads nowhere`);
    this.inside = inside;
  }
}

/** A refusal is answered so long after the question, or twice so long, ms. */
const REFUSAL = 1000;

/** For one address record and one try, ms. */
const DNS_TIMEOUT = 1500;

/**
 * Judges where requests may go (RFC 8620 8.6): nowhere inside. A name that leads inside and a name
 * that doesn't exist have the same answer, at the same time.
 */
export class Reach {
  readonly #options: ReachOptions;
  readonly #resolve: Resolve;

  constructor(options: ReachOptions) {
    this.#options = options;
    this.#resolve = options.resolve ?? askDns();
  }

  /**
   * Returns whether a connection may be tried: the host is one of the allowed hosts, and an address
   * in the URL may be reached. A socket looks no literal address up, so this comes before.
   */
  mayTry(url: URL): boolean {
    const { hosts } = this.#options;
    if (hosts.length > 0 && !hosts.some((glob) => glob.matches(url.hostname))) return false;
    const literal = literalOf(url);
    return literal === null || isReachable(literal, this.#options);
  }

  /**
   * Resolves to all addresses of a name. Rejects with UnreachableNameError where it has none, and
   * where one of them may not be reached: a name with a public and a private address leads inside,
   * too.
   */
  async addressesOf(name: string): Promise<[LookupAddress, ...LookupAddress[]]> {
    const found = await this.#resolve(name).catch(noAddresses);
    const addresses = found.map((address) => ({ address, family: isIP(address) }));
    const [first, ...others] = addresses;
    const inside = found.find((one) => !isReachable(one, this.#options)) ?? null;
    if (first === undefined || inside !== null) throw new UnreachableNameError(name, inside);
    return [first, ...others];
  }

  /** Is the `lookup` of sockets: they connect to the very addresses that it has judged. */
  readonly lookup: LookupFunction = (name, options, callback) => {
    // A turn of its own: the promise must not take an error of the callback for one of its own.
    this.addressesOf(name).then(
      ([first, ...others]) => {
        if (options.all) setImmediate(callback, null, [first, ...others]);
        else setImmediate(callback, null, first.address, first.family);
      },
      (error: Error) => setImmediate(callback, error, []),
    );
  };

  /**
   * Resolves to whether the URL leads to where pushes may go, within 2 s. Answers "no" after one
   * second or after two, so that the time doesn't tell why.
   */
  async leadsOutside(url: URL): Promise<boolean> {
    const began = performance.now();
    const leads = await Promise.race([this.#judge(url), wait(2 * REFUSAL).then(() => false)]);
    if (leads) return true;
    const spent = performance.now() - began;
    const left = (spent < REFUSAL ? REFUSAL : 2 * REFUSAL) - spent;
    if (left > 0) await wait(left);
    return false;
  }

  async #judge(url: URL): Promise<boolean> {
    if (!this.mayTry(url)) return false;
    if (literalOf(url) !== null) return true;
    return this.addressesOf(url.hostname).then(
      () => true,
      () => false,
    );
  }
}

/** Returns the address of a URL without a name, else null. */
function literalOf(url: URL): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 ? null : host;
}

/** Lets a process end that waits for nothing else. */
function wait(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function noAddresses(): readonly string[] {
  return [];
}

/**
 * Asks DNS alone. The system's own lookup also reads its table of hosts, but takes one of the few
 * threads that read and write files, for as long as a name server pleases.
 */
function askDns(): Resolve {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT, tries: 2 });
  return async (name) => {
    const [four, six] = await Promise.all([
      resolver.resolve4(name).catch(noAddresses),
      resolver.resolve6(name).catch(noAddresses),
    ]);
    return [...four, ...six];
  };
}

/**
 * Asks the system, whose table of hosts and whose own resolvers (of containers, for example) count
 * too. For names that the operator gives: few, and known to exist.
 */
export const askSystem: Resolve = async (name) => {
  const found = await lookup(name, { all: true });
  return found.map(({ address }) => address);
};
