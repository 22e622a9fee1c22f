import { createBackChannel } from '../accounts/oidc/back-channel.js';
import { createWelcome } from '../accounts/oidc/first-sight.js';
import type { PostForm } from '../accounts/oidc/introspection.js';
import type { Provider } from '../accounts/oidc/open-provider.js';
import { SignIns } from '../accounts/oidc/sign-ins.js';
import { baseUrlText } from '../http/base-url.js';
import { type Identity, OWN_TOKENS } from '../http/identity.js';
import { metadataUrl } from '../http/resource-metadata.js';
import type { IdGenerator } from '../protocol/ids.js';
import type { Log } from '../runtime/log.js';
import { Seldom } from '../runtime/seldom.js';
import type { Storage } from './storage.js';

export interface IdentityOptions {
  readonly providers: readonly Provider[];
  readonly post: PostForm;
  /** A token of ours may come as the password of Basic authentication. */
  readonly basic: boolean;
  /** Null where there are no providers. */
  readonly baseUrl: URL | null;
  /** The OAuth scopes that the capabilities name. */
  readonly scopes: readonly string[];
  readonly prisma: Storage['prisma'];
  readonly ids: IdGenerator;
  /** Kinds of tasks that a new account begins with. */
  readonly tasks: readonly string[];
  readonly log: Log;
}

/** The users of identity providers: for the transports, and for the authenticator. */
export interface OpenIdentity {
  readonly identity: Identity;
  /** Undefined where there are no providers. */
  readonly signIns: SignIns | undefined;
}

/** Puts together what lets the users of identity providers in. */
export function openIdentity(options: IdentityOptions): OpenIdentity {
  const { providers, basic, prisma, ids, tasks, log } = options;
  const resource = baseUrlText(options.baseUrl);
  if (providers.length === 0 || resource === null) {
    const offer = { ...OWN_TOKENS.offer, basic };
    return { identity: { ...OWN_TOKENS, offer }, signIns: undefined };
  }
  const url = metadataUrl(resource);
  const refusals = new Seldom(providers.length * REASONS);
  const signIns = new SignIns({
    ...{ providers, post: options.post },
    welcome: createWelcome({ prisma, ids, tasks }),
    onRefused(reason, issuer) {
      const fields = refusals.admit(`${issuer} ${reason}`);
      if (fields !== null)
        log.info({ reason, issuer, ...fields }, 'a token of an identity provider is refused');
    },
  });
  const canLogOut = providers.some(({ settings }) => settings.logout !== null);
  return {
    identity: {
      offer: { metadataUrl: url, basic },
      metadata: {
        ...{ url, resource, scopes: options.scopes },
        authorizationServers: providers.map(({ settings }) => settings.rules.issuer),
      },
      takeLogout: canLogOut ? createBackChannel({ prisma, providers }) : null,
    },
    signIns,
  };
}

/** Reasons of refusals that are counted apart. */
const REASONS = 16;
