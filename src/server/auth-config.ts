import { resolve } from 'node:path';
import { type AuthSettings, usualSettings } from '../accounts/oidc/settings.js';
import { parseSubnet, type Subnet } from '../outbound/subnet.js';
import { isIssuer, PROVIDER_URLS } from './provider-url.js';
import { listOf, SUBNETS } from './variable-lists.js';

/** The part of the reader of variables that this needs (config.ts). */
interface Variables {
  text(name: string): string | null;
  choice(name: string, fallback: string, legal: readonly string[]): string;
  parsed<T>(name: string, legal: string, parse: (text: string) => T | null): T | null;
  /** Throws ConfigError. */
  refuse(name: string, legal: string): never;
}

/** The configuration of identity providers, before the file is read (load-auth.ts). */
export interface AuthConfig {
  /** The path of the file that says all; null: the variables do. */
  readonly file: string | null;
  /** Addresses where providers may stand though they are not public, also over plain HTTP. */
  readonly allow: readonly Subnet[];
  /** By the variables: at most one provider. */
  readonly settings: AuthSettings;
}

/** Reads the variables of identity providers; paths begin in `root`. Throws ConfigError. */
export function readAuth(from: Variables, root: string): AuthConfig {
  const allow = from.parsed('OIDC_ALLOW', SUBNETS, listOf(parseSubnet)) ?? [];
  const file = from.text('AUTH_FILE');
  if (file !== null) {
    for (const name of ['OIDC_ISSUER', 'OIDC_AUDIENCE', 'BASIC_AUTH'])
      if (from.text(name) !== null) from.refuse(name, 'no value beside AUTH_FILE, which says it');
  }
  const isOn = from.choice('BASIC_AUTH', 'off', ['off', 'tokens']) === 'tokens';
  const basic: AuthSettings['basic'] = isOn ? 'tokens' : 'off';
  return Object.freeze({
    file: file === null ? null : resolve(root, file),
    allow,
    settings: { providers: readProvider(from, allow), basic },
  });
}

function readProvider(from: Variables, allow: readonly Subnet[]): AuthSettings['providers'] {
  const issuer = from.parsed('OIDC_ISSUER', ISSUERS, (text) =>
    isIssuer(text, allow) ? text : null,
  );
  const audience = from.parsed('OIDC_AUDIENCE', AUDIENCES, listOf(nameOf));
  if (issuer === null && audience === null) return [];
  if (issuer === null) from.refuse('OIDC_ISSUER', `${ISSUERS}; OIDC_AUDIENCE is for its tokens`);
  if (audience === null) from.refuse('OIDC_AUDIENCE', `${AUDIENCES}; OIDC_ISSUER needs it`);
  return [usualSettings(issuer, audience)];
}

const ISSUERS = `the name of an identity provider: ${PROVIDER_URLS}, and without a query`;

const AUDIENCES =
  'the names of this server in tokens, such as https://jmap.example.com/api, with commas';

function nameOf(text: string): string | null {
  return text === '' ? null : text;
}
