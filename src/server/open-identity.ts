import { createBackChannel } from '../accounts/oidc/back-channel.js';
import { createWelcome } from '../accounts/oidc/first-sight.js';
import type { AuthSettings } from '../accounts/oidc/settings.js';
import { SignIns } from '../accounts/oidc/sign-ins.js';
import { baseUrlText } from '../http/base-url.js';
import { type Identity, OWN_TOKENS } from '../http/identity.js';
import { metadataUrl } from '../http/resource-metadata.js';
import type { Subnet } from '../outbound/subnet.js';
import type { IdGenerator } from '../protocol/ids.js';
import { Seldom } from '../runtime/seldom.js';
import type { Logger } from './logging.js';
import { openProviders } from './open-providers.js';
import type { Storage } from './storage.js';

export interface IdentityOptions {
  readonly auth: AuthSettings;
  /** Addresses where providers may stand though they are not public. */
  readonly allow: readonly Subnet[];
  /** Null where there are no providers. */
  readonly baseUrl: URL | null;
  /** The OAuth scopes that the capabilities name. */
  readonly scopes: readonly string[];
  readonly prisma: Storage['prisma'];
  readonly ids: IdGenerator;
  /** Kinds of tasks that a new account begins with. */
  readonly tasks: readonly string[];
  readonly log: Logger;
}

/** The users of identity providers: for the transports, and for the authenticator. */
export interface OpenIdentity {
  readonly identity: Identity;
  /** Undefined where there are no providers. */
  readonly signIns: SignIns | undefined;
  /** Ends the connections to providers. */
  close(): void;
}

/** Puts together what lets the users of identity providers in. Asks no provider yet. */
export async function openIdentity(options: IdentityOptions): Promise<OpenIdentity> {
  const { auth, prisma, ids, tasks } = options;
  const basic = auth.basic === 'tokens';
  const resource = baseUrlText(options.baseUrl);
  if (auth.providers.length === 0 || resource === null) {
    const offer = { ...OWN_TOKENS.offer, basic };
    return { identity: { ...OWN_TOKENS, offer }, signIns: undefined, close: () => undefined };
  }
  const {
    all: providers,
    http,
    onError,
    close,
  } = await openProviders({ ...options, settings: auth });
  const url = metadataUrl(resource);
  const canLogOut = auth.providers.some(({ logout }) => logout !== null);
  return {
    identity: {
      offer: { metadataUrl: url, basic },
      metadata: {
        ...{ url, resource, scopes: options.scopes },
        authorizationServers: auth.providers.map(({ rules }) => rules.issuer),
      },
      judgeLogout: canLogOut ? createBackChannel({ prisma, providers }) : null,
    },
    signIns: new SignIns({
      providers,
      post: (...form) => http.postForm(...form),
      welcome: createWelcome({ prisma, ids, tasks }),
      onRefused: refusalsTo(options),
      onFailure: (error, issuer) => onError(issuer, error),
    }),
    close,
  };
}

/** Reasons of refusals that are told apart. */
const REASONS = 16;

/** Returns a function that logs why tokens are refused, each reason seldom. */
function refusalsTo({ auth, log }: IdentityOptions): (reason: string, issuer: string) => void {
  const refusals = new Seldom(auth.providers.length * REASONS);
  return (reason, issuer) => {
    const fields = refusals.admit(`${issuer} ${reason}`);
    if (fields !== null)
      log.info({ reason, issuer, ...fields }, 'a token of an identity provider was refused');
  };
}
