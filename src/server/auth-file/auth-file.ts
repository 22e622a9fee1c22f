import { readFileSync, statSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import type { AuthSettings } from '../../accounts/oidc/settings.js';
import { place } from '../../descriptor/check/rule.js';
import { decode } from '../../descriptor/descriptor-file.js';
import type { Located } from '../../descriptor/located.js';
import type { Location } from '../../descriptor/model.js';
import { parseDescriptor } from '../../descriptor/parse.js';
import type { Subnet } from '../../outbound/subnet.js';
import { AuthFileError } from '../auth-file-error.js';
import { type Complain, FileFields } from './file-fields.js';
import { ISSUER_KEYS, type IssuerPorts, readIssuer } from './read-issuer.js';

/** Octets of the file, and of a file with a secret. */
const MAX_FILE = 1_000_000;
const MAX_SECRET = 10_000;

const BASIC = ['off', 'tokens'] as const;

/**
 * Reads the file of identity providers, YAML or JSON; `allow`: addresses where providers may stand
 * though they are not public. Throws AuthFileError with all problems and their places.
 */
export function readAuthFile(path: string, allow: readonly Subnet[]): AuthSettings {
  const near = relative(process.cwd(), path);
  const file = near.startsWith('..') ? path : near;
  const parsed = parseDescriptor(file, readText(path, file));
  const problems: { readonly at: Location; readonly message: string }[] = [];
  const complain: Complain = (at, message) => problems.push({ at, message });
  for (const { at, code, message } of parsed.problems)
    complain(at, code === 'too-deep' ? 'the file nests too deeply or is too large here.' : message);
  const readSecret = (name: string): string =>
    readOctets(resolve(dirname(path), name), MAX_SECRET).toString('utf8');
  const settings =
    parsed.root === undefined ? null : readRoot(parsed.root, complain, { allow, readSecret });
  if (settings !== null && problems.length === 0) return settings;
  problems.sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
  throw new AuthFileError(problems.map(({ at, message }) => `${place(at)}: ${message}`));
}

function readRoot(root: Located, complain: Complain, ports: IssuerPorts): AuthSettings {
  const fields = new FileFields(root, 'the file', ['issuers', 'basic'], complain);
  fields.require('issuers');
  const issuers = fields.objects('issuers', 'an issuer', ISSUER_KEYS);
  if (fields.value('issuers') !== undefined && issuers.length === 0)
    fields.complain('issuers', 'must be a list with an issuer.');
  const providers = issuers.map((issuer) => readIssuer(issuer, ports));
  const names = new Set<string>();
  for (const [at, issuer] of issuers.entries()) {
    const { rules } = providers[at] ?? {};
    const name = rules?.issuer ?? '';
    if (name !== '' && names.has(name)) issuer.complain('issuer', 'is listed twice.');
    names.add(name);
  }
  const [, ...others] = issuers.filter((issuer) => issuer.has('opaque'));
  for (const other of others)
    other.complain('opaque', 'stands at two issuers: such a token does not say whose it is.');
  return { providers, basic: fields.choice('basic', BASIC) ?? 'off' };
}

/** Throws AuthFileError where there is no such text. */
function readText(path: string, file: string): string {
  try {
    const octets = readOctets(path, MAX_FILE);
    const text = decode(octets);
    if (text !== undefined) return text;
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new AuthFileError([`${file}: the file can't be read (${code}).`]);
  }
  throw new AuthFileError([`${file}: the file is not in UTF-8.`]);
}

/** Throws an error with a code where the file can't be read, or is larger than `most` octets. */
function readOctets(path: string, most: number): Buffer {
  const { size } = statSync(path);
  if (size > most) throw Object.assign(new Error('The file is too large.'), { code: 'EFBIG' });
  return readFileSync(path);
}
