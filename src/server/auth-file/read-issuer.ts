import {
  ALGORITHMS,
  type OpaqueTokens,
  type ProviderSettings,
  USUAL_ALGORITHMS,
  usualSettings,
  withTwins,
} from '../../accounts/oidc/settings.js';
import { didYouMean } from '../../descriptor/check/did-you-mean.js';
import type { Subnet } from '../../outbound/subnet.js';
import { parseSpan } from '../../runtime/spans.js';
import { isIssuer, PROVIDER_URLS, parseProviderUrl } from '../provider-url.js';
import type { FileFields } from './file-fields.js';
import { judgeTemplate, readAccess, readRoles } from './read-access.js';

/** The keys of an issuer. */
export const ISSUER_KEYS: readonly string[] = [
  ...['issuer', 'audience', 'algorithms', 'clockTolerance', 'jwks', 'user', 'account'],
  ...['access', 'roles', 'opaque', 'logout'],
];

/** The means beside the file. */
export interface IssuerPorts {
  readonly allow: readonly Subnet[];
  /** Reads a secret of a file that is named as seen from the auth file. Throws a system error. */
  readonly readSecret: (path: string) => string;
}

const SECOND = 1000;
/** Bounds of durations, ms. */
const MOST_TOLERANCE = 300 * SECOND;
const MOST_CACHE = 300 * SECOND;
const USUAL_CACHE = 30 * SECOND;

/** Reads one issuer. Of one with a problem something comes back, since nobody uses it then. */
export function readIssuer(fields: FileFields, ports: IssuerPorts): ProviderSettings {
  fields.require('issuer', 'audience');
  const issuer = fields.text('issuer') ?? '';
  if (issuer !== '' && !isIssuer(issuer, ports.allow))
    fields.complain('issuer', `must be ${PROVIDER_URLS}, and without a query.`);
  const usual = usualSettings(issuer, fields.texts('audience') ?? []);
  const tolerance = readDuration(fields, 'clockTolerance', { least: 0, most: MOST_TOLERANCE });
  const jwks = readUrl(fields, 'jwks', ports);
  return {
    rules: {
      ...usual.rules,
      algorithms: withTwins(readAlgorithms(fields)),
      clockTolerance: tolerance === null ? usual.rules.clockTolerance : tolerance / SECOND,
    },
    jwks,
    ...readUser(fields, usual),
    access: readAccess(fields),
    roles: readRoles(fields),
    opaque: readOpaque(fields, ports),
    logout: readLogout(fields),
  };
}

function readAlgorithms(fields: FileFields): readonly string[] {
  const names = fields.texts('algorithms') ?? USUAL_ALGORITHMS;
  for (const name of names) {
    if (ALGORITHMS.includes(name)) continue;
    const why = /^(?:HS\d+|none)$/i.test(name)
      ? `can't have ${name}: whoever checks such a token could make one.`
      : `can't have "${name}".${didYouMean(name, ALGORITHMS)}`;
    fields.complain('algorithms', `${why} Legal are ${ALGORITHMS.join(', ')}.`);
  }
  return names;
}

function readUser(
  fields: FileFields,
  usual: ProviderSettings,
): Pick<ProviderSettings, 'user' | 'account'> {
  const user = fields.object('user', ['id', 'name', 'create']);
  const account = fields.object('account', ['name', 'create']);
  const create = user?.flag('create', true) ?? true;
  const hasAccount = account?.flag('create', create) ?? create;
  if (hasAccount && !create && account !== null)
    account.complain('create', 'can be true only where new users are made ("user", "create").');
  if (account !== null) judgeTemplate(account, 'name', ['name']);
  return {
    user: {
      id: user?.text('id') ?? usual.user.id,
      names: user?.texts('name') ?? usual.user.names,
      create,
    },
    account: hasAccount ? { name: account?.text('name') ?? '{name}' } : null,
  };
}

function readOpaque(fields: FileFields, ports: IssuerPorts): OpaqueTokens | null {
  const opaque = fields.object('opaque', ['introspect', 'clientId', 'secretFile', 'cache']);
  if (opaque === null) return null;
  opaque.require('clientId', 'secretFile');
  const endpoint = readEndpoint(opaque, ports);
  if (endpoint === null && fields.has('jwks'))
    opaque.complain('introspect', 'must be the URL of introspection, since "jwks" is given.');
  const clientId = opaque.text('clientId');
  const secret = readSecret(opaque, ports);
  const cache = readDuration(opaque, 'cache', { least: SECOND, most: MOST_CACHE }) ?? USUAL_CACHE;
  return clientId === null || secret === null ? null : { endpoint, clientId, secret, cache };
}

/** `true` is the same as no key: the discovery document says it. */
function readEndpoint(opaque: FileFields, ports: IssuerPorts): URL | null {
  const value = opaque.value('introspect');
  if (value === true) return null;
  if (value === false) return opaque.complain('introspect', 'must be true, or the URL.');
  return readUrl(opaque, 'introspect', ports);
}

/** A message has neither the secret nor the path, which may be a secret in the wrong place. */
function readSecret(opaque: FileFields, { readSecret: read }: IssuerPorts): string | null {
  const path = opaque.text('secretFile');
  if (path === null) return null;
  try {
    const secret = read(path).trim();
    if (secret !== '') return secret;
    return opaque.complain('secretFile', 'names an empty file.');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    const words = `names no file that can be read, as seen from this file (${code}).`;
    return opaque.complain('secretFile', words);
  }
}

function readLogout(fields: FileFields): ProviderSettings['logout'] {
  const logout = fields.object('logout', ['clients']);
  logout?.require('clients');
  const clients = logout?.texts('clients') ?? null;
  return clients === null ? null : { clients };
}

function readUrl(fields: FileFields, key: string, { allow }: IssuerPorts): URL | null {
  const text = fields.text(key);
  if (text === null) return null;
  return parseProviderUrl(text, allow) ?? fields.complain(key, `must be ${PROVIDER_URLS}.`);
}

/** Returns ms. */
function readDuration(
  fields: FileFields,
  key: string,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  const text = fields.text(key);
  if (text === null) return null;
  const span = text === '0s' ? 0 : parseSpan(text);
  if (span !== null && span >= least && span <= most && span % SECOND === 0) return span;
  const [from, to] = [least, most].map((ms) => `${ms / SECOND}s`);
  return fields.complain(key, `must be whole seconds from ${from} to ${to}, such as 30s.`);
}
