import { UsageError } from '../../src/descriptor/command-line.js';
import { basic, bearer } from './client/credentials.js';
import { Secrets } from './client/secrets.js';
import type { Options } from './options.js';

/** Reads the credentials of users from options and from the environment. */

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns all credentials that were given, be they legal or not. */
export function readSecrets(
  options: Options,
  { CONFORM_TOKEN, CONFORM_BASIC }: Environment,
): Secrets {
  const tokens = [options.token, CONFORM_TOKEN, ...(options['other-token'] ?? [])];
  const pairs = [options.basic, CONFORM_BASIC, ...(options['other-basic'] ?? [])];
  return new Secrets([
    ...tokens.flatMap((one) => (one === undefined ? [] : [bearer(one)])),
    ...pairs.flatMap((one) => (one === undefined ? [] : (basic(one) ?? []))),
  ]);
}

/**
 * Returns the Authorization header of the options' credentials, or else of the environment's.
 * Throws UsageError where there are none, or both kinds.
 */
export function readAuthorization(
  { token, basic: pair }: Options,
  environment: Environment,
): string {
  const { CONFORM_TOKEN: setToken = '', CONFORM_BASIC: setPair = '' } = environment;
  const isGiven = token !== undefined || pair !== undefined;
  const [aToken, aPair] = isGiven ? [token ?? '', pair ?? ''] : [setToken, setPair];
  if (aToken !== '' && aPair !== '')
    throw new UsageError('A bearer token and Basic credentials are given: it can be one of them.');
  if (aPair !== '') return readBasic(isGiven ? '--basic' : 'CONFORM_BASIC', aPair);
  if (aToken !== '') return readBearer(aToken);
  throw new UsageError(
    '--token is missing: a bearer token of a user of the server, or --basic USER:PASSWORD.',
  );
}

/**
 * Returns the header of Basic credentials. The error for a wrong pair doesn't repeat it, for it may
 * hold a password.
 */
function readBasic(option: string, pair: string): string {
  const authorization = basic(pair);
  if (authorization === null)
    throw new UsageError(`${option} is a user's name, a colon and the password: USER:PASSWORD.`);
  return authorization;
}

/** RFC 6750 2.1 has fewer: servers may have tokens of another form. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Returns the header of a bearer token. The error for a wrong token doesn't repeat it either. */
function readBearer(token: string): string {
  if (TOKEN.test(token)) return bearer(token);
  throw new UsageError('A token has visible ASCII characters alone.');
}

/** Returns the headers of other users, whose credentials the options give. */
export const readOthers = (options: Options): readonly string[] => [
  ...(options['other-token'] ?? []).map(readBearer),
  ...(options['other-basic'] ?? []).map((pair) => readBasic('--other-basic', pair)),
];
