import { sign } from 'node:crypto';
import { isIP } from 'node:net';
import { setNewest } from '../../runtime/forget-oldest.js';
import { parseUrl } from '../../runtime/parse-url.js';
import type { VapidKey } from './vapid-key.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

/** RFC 8292 2 allows 24 h. Half of it leaves room for clocks that differ. */
const LIFE = 12 * HOUR;

/** A signature takes longer than all other work on the headers of a push, so it is kept, ms. */
const KEPT = HOUR;

/** Headers that are kept: about 700 octets each. */
const MOST_KEPT = 1000;

const HEADER = encode({ typ: 'JWT', alg: 'ES256' });

interface KeptHeader {
  readonly text: string;
  readonly made: number;
}

/** Makes the Authorization headers by which this server identifies itself (RFC 8292). */
export class Vapid {
  readonly #contact: string;
  readonly #now: () => number;
  /** By public key and origin, in the order in which they were made. */
  readonly #kept = new Map<string, KeptHeader>();

  /** `contact`: a URL that `contactOf` returned. `now`: the time in epoch ms. */
  constructor(contact: string, now: () => number) {
    this.#contact = contact;
    this.#now = now;
  }

  /** Returns the header for a POST to `url` with the token signed by `key`. */
  authorize(key: VapidKey, url: URL): string {
    const now = this.#now();
    const name = `${key.publicText} ${url.origin}`;
    const kept = this.#kept.get(name);
    // A clock that was set back must not leave a token in use that is not valid for long.
    if (kept !== undefined && now >= kept.made && now < kept.made + KEPT) return kept.text;
    const text = `vapid t=${this.#signToken(key, url.origin, now)}, k=${key.publicText}`;
    setNewest(this.#kept, name, { text, made: now }, MOST_KEPT);
    return text;
  }

  #signToken(key: VapidKey, origin: string, now: number): string {
    const exp = Math.floor((now + LIFE) / SECOND);
    const unsigned = `${HEADER}.${encode({ aud: origin, exp, sub: this.#contact })}`;
    const signature = sign('sha256', Buffer.from(unsigned), {
      key: key.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    return `${unsigned}.${signature.toString('base64url')}`;
  }
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** Names below them are never public (RFC 6761, RFC 6762, RFC 7686, RFC 8375, RFC 9476). */
const RESERVED = /(^|\.)(alt|arpa|example|internal|invalid|local|localhost|onion|test)$/;

/** A label of a name: letters, digits, and hyphens between them (RFC 1123 2.1). */
const LABEL = /^[a-z0-9-]+$/;
const LABEL_LENGTH = 63;

/**
 * Returns `text` as a contact for push services: a `mailto:` URL of one address, or an `https:`
 * URL, either at a name that can be public. Returns null for all else, which services refuse.
 */
export function contactOf(text: string): string | null {
  const address = /^mailto:([^\s@<>?#,;:"()[\]\\]+)@([^\s@?#]+)$/i.exec(text);
  const [, user, domain] = address ?? [];
  if (user !== undefined && domain !== undefined) {
    return isPublicName(domain) ? `mailto:${user}@${domain}` : null;
  }
  const url = /^https:\/\/[^/]/i.test(text) ? parseUrl(text) : null;
  if (url === null) return null;
  if (url.username + url.password !== '' || text.includes('#')) return null;
  return isPublicName(url.hostname) ? url.href : null;
}

function isPublicName(domain: string): boolean {
  const name = domain.toLowerCase();
  const labels = name.split('.');
  if (isIP(name) !== 0 || labels.length < 2 || RESERVED.test(name)) return false;
  return labels.every(isLabel) && /^[a-z]./.test(labels.at(-1) ?? '');
}

function isLabel(label: string): boolean {
  const isEdged = label.startsWith('-') || label.endsWith('-');
  return LABEL.test(label) && !isEdged && label.length <= LABEL_LENGTH;
}
