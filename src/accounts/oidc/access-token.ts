import {
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  type JWTVerifyResult,
  jwtVerify,
} from 'jose';
import { UnavailableError } from '../../protocol/errors.js';
import { type Claims, claimAt, scopesOf } from './claims.js';

/** The marks that tokens of a provider must have. */
export interface TokenRules {
  /** Is compared as it is written, as OpenID Connect Discovery 4.3 says. */
  readonly issuer: string;
  /** The names that stand for this server; a token needs one of them. */
  readonly audience: readonly string[];
  /** Names of RFC 7518 3.1 and RFC 9864; symmetric ones can't be among them. */
  readonly algorithms: readonly string[];
  /** How far the clocks may differ, seconds. */
  readonly clockTolerance: number;
}

/** A token is not taken. The message says why without a value of the token: for the log alone. */
export class TokenRefusedError extends Error {
  override readonly name: string = 'TokenRefusedError';
}

/** The key that the token names did not sign it: somebody made it up, or changed it. */
export class ForgedTokenError extends TokenRefusedError {
  override readonly name = 'ForgedTokenError';
}

/** Returns the issuer that a JWT names, which nobody has verified; null where it is no JWT. */
export function issuerOf(token: string): string | null {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : null;
  } catch {
    // Any text may come here. One that is no JWT has no issuer.
    return null;
  }
}

/**
 * Resolves to the claims of an access token that is a JWT (RFC 9068, and the forms that providers
 * use besides). `now`: epoch ms. Rejects with TokenRefusedError; with UnavailableError where the
 * provider's keys can't be had.
 */
export async function verifyAccessToken(
  token: string,
  rules: TokenRules,
  keyOf: JWTVerifyGetKey,
  now: number,
): Promise<Claims> {
  const { payload, protectedHeader } = await verifyJwt(token, rules, keyOf, {
    currentDate: new Date(now),
    requiredClaims: ['exp', 'sub'],
  });
  judgeKind(protectedHeader.typ, payload);
  judgeClaims(payload, Math.floor(now / 1000) + rules.clockTolerance);
  return payload;
}

/** Resolves to a verified JWT of any kind; `options` are jose's. Rejects as its callers do. */
export async function verifyJwt(
  token: string,
  { issuer, audience, algorithms, clockTolerance }: TokenRules,
  keyOf: JWTVerifyGetKey,
  options: Pick<JWTVerifyOptions, 'currentDate' | 'requiredClaims' | 'maxTokenAge'>,
): Promise<JWTVerifyResult> {
  const marks = { issuer, audience: [...audience], algorithms: [...algorithms], clockTolerance };
  try {
    judgeMarks(token, { audience, algorithms });
    return await jwtVerify(token, keyOf, { ...marks, ...options });
  } catch (error) {
    if (error instanceof UnavailableError || error instanceof TokenRefusedError) throw error;
    const isForged = error instanceof errors.JWSSignatureVerificationFailed;
    throw new (isForged ? ForgedTokenError : TokenRefusedError)(reasonOf(error));
  }
}

/**
 * Judges what is to be seen without a key. A token for others, and one of another algorithm, must
 * not have the provider asked for its key.
 */
export function judgeMarks(
  token: string,
  { audience, algorithms }: Pick<TokenRules, 'audience' | 'algorithms'>,
): void {
  judgeAudience(decodeJwt(token), audience);
  if (!algorithms.includes(algorithmOf(token))) refuse('its algorithm is not allowed');
}

function algorithmOf(token: string): string {
  try {
    return decodeProtectedHeader(token).alg ?? '';
  } catch {
    // Any text may come here. One without a header names no algorithm.
    return '';
  }
}

/** Judges what tokens and introspections have in common. `latest`: seconds. */
export function judgeClaims(claims: Claims, latest: number): void {
  const { sub, iat } = claims;
  if (typeof sub !== 'string' || sub === '') refuse('"sub" is no name');
  if (iat !== undefined && !(typeof iat === 'number' && iat <= latest))
    refuse('"iat" is a time to come');
  // The sender of such a token must also prove to have a key (RFC 9449 7.1, RFC 8705 3).
  if (Object.hasOwn(claims, 'cnf')) refuse('it is bound to a key ("cnf")');
}

export function judgeAudience({ aud }: Claims, audience: readonly string[]): void {
  const names: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!names.some((name) => audience.some((own) => own === name)))
    refuse('"aud" does not name this server');
}

export function refuse(reason: string): never {
  throw new TokenRefusedError(reason);
}

/** Types of access tokens in a header, without `application/`. Many providers say `JWT`. */
const ACCESS_TOKEN = 'at+jwt';
const KINDS: ReadonlySet<string> = new Set([ACCESS_TOKEN, 'jwt']);

/** Payload members by which providers tell the kinds of their tokens apart. */
const OTHERS: Readonly<Record<string, ReadonlySet<string>>> = {
  typ: new Set(['id', 'refresh', 'offline', 'logout', 'serialized-id']),
  token_use: new Set(['id']),
  type: new Set(['id-token', 'refresh-token']),
};
const ACCESS: Readonly<Record<string, ReadonlySet<string>>> = {
  typ: new Set(['bearer']),
  token_use: new Set(['access']),
};

/**
 * Refuses a token that is no access token: an ID token says who signed in at another application,
 * and must not open this one. Only RFC 9068 marks access tokens for sure; `nonce` is no mark, since
 * some providers put it into both.
 */
function judgeKind(type: unknown, claims: Claims): void {
  const kind = type === undefined ? 'jwt' : textOf(type).replace(/^application\//, '');
  if (!KINDS.has(kind)) refuse('its header has another "typ"');
  if (isMarked(claims, OTHERS) || Object.hasOwn(claims, 'events'))
    refuse('it says that it is no access token');
  if (kind === ACCESS_TOKEN || isMarked(claims, ACCESS)) return;
  if (Object.hasOwn(claims, 'at_hash') || Object.hasOwn(claims, 'c_hash'))
    refuse('it is an ID token');
  const client = claims['azp'] ?? claims['appid'];
  const { aud } = claims;
  const isOfClient = typeof client === 'string' && ![aud].flat().includes(client);
  const hasMembers = ['client_id', 'cid', 'gty'].some((name) => Object.hasOwn(claims, name));
  if (!isOfClient && !hasMembers && scopesOf(claims).size === 0)
    refuse('nothing tells it from an ID token: no scope, and no client but the audience');
}

function isMarked(claims: Claims, marks: Readonly<Record<string, ReadonlySet<string>>>): boolean {
  return Object.entries(marks).some(([name, values]) => values.has(textOf(claimAt(claims, name))));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}

/** Errors of jose hold all claims, so only its codes and names of claims go on. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.JWTExpired) return '"exp" is over';
  if (error instanceof errors.JWTClaimValidationFailed)
    return `"${error.claim}" is ${error.reason === 'missing' ? 'missing' : 'wrong'}`;
  if (error instanceof errors.JOSEError) return error.code;
  // Of keys that Node can't read, for example.
  return error instanceof Error ? error.name : 'it can not be verified';
}
