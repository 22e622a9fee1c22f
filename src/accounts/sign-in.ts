import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Prisma } from '../../build/prisma/engine-sqlite/client.js';
import type { Credential, SignIn } from './principal.js';

/** Returns a credential of an identity provider's token; `id` is what connections follow. */
export function signInCredential(id: string, signIn: SignIn): Credential {
  return { id, owner: ownerOf(signIn), signIn };
}

/** Returns whether two sign-ins have the same facts, wherever they were kept meanwhile. */
export function isSameSignIn(one: SignIn | null, other: SignIn | null): boolean {
  return one === other || isDeepStrictEqual(one, other);
}

/** Returns the facts of a sign-in without the end of its token. */
export function withoutEnd(signIn: SignIn): SignIn {
  return { ...signIn, expires: null };
}

/** Returns the credential of a push subscription, which outlives the token that made it. */
export function lastingCredential(owner: string, signIn: SignIn | null): Credential {
  if (signIn === null) return { id: owner, owner, signIn };
  const lasting = withoutEnd(signIn);
  // Tokens of one sign-in may reach different accounts.
  return { id: `${owner}:${hashOf([JSON.stringify(lasting)])}`, owner, signIn: lasting };
}

/** Returns a value for a JSON column: null where the credential is a token of ours. */
export function storedSignIn({
  signIn,
}: Credential): Prisma.InputJsonObject | typeof Prisma.DbNull {
  if (signIn === null) return Prisma.DbNull;
  const { accounts, roles, scopes } = signIn;
  return { ...signIn, accounts: { ...accounts }, roles: [...roles], scopes: [...scopes] };
}

/** Reads the JSON column. */
export function readSignIn(column: unknown): SignIn | null {
  return (column ?? null) as SignIn | null;
}

/**
 * Tokens of a provider change every few minutes. All that one client has by one sign-in have the
 * same owner.
 */
function ownerOf({ issuer, subject, session, client }: SignIn): string {
  if (session === null) return keyOf('client', [issuer, subject, client]);
  return `${sessionKey(issuer, session)}:${hashOf([client])}`;
}

/** Identifies a provider's session: its end in JmapLogout, and the owners of it before a colon. */
export function sessionKey(issuer: string, session: string): string {
  return keyOf('session', [issuer, session]);
}

/** Identifies the end of all of a subject's sign-ins in JmapLogout. */
export function subjectKey(issuer: string, subject: string): string {
  return keyOf('subject', [issuer, subject]);
}

/** Identifies the end of a subject's sign-ins whose tokens name no session. */
export function unnamedSessionKey(issuer: string, subject: string): string {
  return keyOf('unnamedSession', [issuer, subject]);
}

/** Identifies a message of a provider, which counts once. */
export function messageKey(issuer: string, id: string): string {
  return keyOf('message', [issuer, id]);
}

function keyOf(kind: string, names: readonly (string | null)[]): string {
  return `${kind}:${hashOf(names)}`;
}

function hashOf(names: readonly (string | null)[]): string {
  return hash('sha256', JSON.stringify(names), 'base64url');
}
