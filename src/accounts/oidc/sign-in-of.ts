import type { SignIn } from '../principal.js';
import { accountsOf, type Claims, rolesOf, scopesOf, textAt } from './claims.js';
import type { ProviderSettings } from './settings.js';

/** Payload members in which providers name the client that a token was given to. */
const CLIENTS: readonly string[] = ['azp', 'client_id', 'cid', 'appid'];

/**
 * Returns the facts of verified claims that the server goes by; null where they name no user. The
 * claims themselves are kept nowhere.
 */
export function signInOf(claims: Claims, settings: ProviderSettings): SignIn | null {
  const { rules, user, access, roles } = settings;
  const subject = textAt(claims, user.id);
  const name = textAt(claims, 'sub');
  if (subject === null || name === null) return null;
  const { iat, nbf, exp } = claims;
  const issued = secondsOf(iat) ?? secondsOf(nbf) ?? 0;
  const end = secondsOf(exp);
  return {
    issuer: rules.issuer,
    subject,
    name,
    session: textAt(claims, 'sid'),
    client: CLIENTS.map((member) => textAt(claims, member)).find((text) => text !== null) ?? null,
    // Whole ms: the claims may have fractions (RFC 7519 2).
    issued: Math.floor(issued * 1000),
    expires: end === null ? null : Math.floor((end + rules.clockTolerance) * 1000),
    accounts: Object.fromEntries(accountsOf(claims, access)),
    roles: rolesOf(claims, roles),
    scopes: [...scopesOf(claims)].sort(),
  };
}

/** A name for people. */
export interface DisplayName {
  readonly text: string;
  /** It is of the first claim that may hold it: a token without that one renames nobody. */
  readonly isBest: boolean;
}

/** Returns the name of a user for people: the first claim that is a text. */
export function displayNameOf(claims: Claims, { user }: ProviderSettings): DisplayName {
  const names = [...user.names, user.id].map((claim) => textAt(claims, claim));
  const text = names.find((name) => name !== null) ?? '';
  return { text, isBest: names[0] === text };
}

function secondsOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
