import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseHostGlob } from '../outbound/host-glob.js';
import { parseSubnet } from '../outbound/subnet.js';
import { contactOf } from '../push/webpush/vapid.js';
import { listOf, SUBNETS } from './variable-lists.js';

/** The part of the reader of variables that this needs (config.ts). */
interface Variables {
  isOn(name: string, fallback: boolean): boolean;
  parsed<T>(name: string, legal: string, parse: (text: string) => T | null): T | null;
}

/** Reads the variables of push services; paths begin in `root`. Throws ConfigError. */
export function readPush(from: Variables, root: string) {
  return Object.freeze({
    /** Push subscriptions are served. */
    isOn: from.isOn('PUSH', true),
    /** A `mailto:` or `https:` URL that push services may write to. */
    contact: from.parsed('PUSH_CONTACT', CONTACTS, contactOf),
    allow: from.parsed('PUSH_ALLOW', SUBNETS, listOf(parseSubnet)) ?? [],
    deny: from.parsed('PUSH_DENY', SUBNETS, listOf(parseSubnet)) ?? [],
    /** Where it isn't empty, no other host may be reached. */
    hosts: from.parsed('PUSH_HOSTS', HOSTS, listOf(parseHostGlob)) ?? [],
    /** Certificates, in PEM. */
    ca: from.parsed('PUSH_CA', AUTHORITIES, (path) => readAuthorities(resolve(root, path))),
  });
}

const CONTACTS =
  'a mailto: or https: URL at a public name, such as mailto:operator@example.com, which push ' +
  'services may write to';

const HOSTS =
  'a list of host names such as fcm.googleapis.com or *.push.apple.com, with commas, where * ' +
  'stands for any characters';

const AUTHORITIES = 'the path of a file with certificates in PEM';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function readAuthorities(path: string): string | null {
  try {
    const certificates = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates.length === 0 ? null : `${certificates.join('\n')}\n`;
  } catch {
    // No such file, or no certificate in it: the message of the configuration says what is legal.
    return null;
  }
}
