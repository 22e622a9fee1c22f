import { type Clocks, SYSTEM_CLOCKS } from '../accounts/oidc/clocks.js';
import { openProvider, type Provider } from '../accounts/oidc/open-provider.js';
import type { AuthSettings } from '../accounts/oidc/settings.js';
import { StoredProviders } from '../accounts/oidc/stored-keys.js';
import type { PrismaClient } from '../database/sqlite/prisma.js';
import { JsonClient } from '../outbound/json-client.js';
import { Seldom } from '../runtime/seldom.js';
import type { AuthConfig } from './auth-config.js';
import type { Logger } from './logging.js';
import { reasonOf } from './unavailable.js';

/** The identity providers of this server, and the client that asks them. */
export interface Providers {
  readonly all: readonly Provider[];
  readonly http: Pick<JsonClient, 'postForm'>;
  /** Logs why a provider could not be asked. */
  readonly onError: (issuer: string, error: unknown) => void;
  /** Ends all connections. */
  close(): void;
}

interface ProvidersOptions extends Pick<AuthConfig, 'allow'> {
  readonly settings: AuthSettings;
  readonly prisma: PrismaClient;
  readonly log: Pick<Logger, 'warn'>;
  readonly clocks?: Clocks;
}

/** Causes that are remembered, and characters of one: a provider's document may be in it. */
const CAUSES = 100;
const MAX_REASON = 1000;

/** Opens all providers; asks none of them. */
export async function openProviders(options: ProvidersOptions): Promise<Providers> {
  const { allow, settings, prisma, log, clocks = SYSTEM_CLOCKS } = options;
  const http = new JsonClient({ allow, variable: 'OIDC_ALLOW' });
  const logged = createProviderLog(log);
  const ports = {
    readJson: (url: URL) => http.readJson(url),
    store: new StoredProviders(prisma),
    ...logged,
    clocks,
  };
  const all = await Promise.all(settings.providers.map((each) => openProvider(each, ports)));
  return { all, http, onError: logged.onError, close: () => http.close() };
}

/** Logs each cause once, then at most every 30 seconds: each request may find it again. */
function createProviderLog(log: Pick<Logger, 'warn'>) {
  const seldom = new Seldom(CAUSES);
  const describe = (issuer: string, error: unknown): object | null => {
    const reason = reasonOf(error).slice(0, MAX_REASON);
    const admitted = seldom.admit(`${issuer} ${reason}`);
    return admitted && { issuer, reason, ...admitted };
  };
  return {
    onError(issuer: string, error: unknown): void {
      const fields = describe(issuer, error);
      if (fields !== null) log.warn(fields, 'an identity provider could not be asked');
    },
    onStoreError(issuer: string, error: unknown): void {
      const fields = describe(issuer, error);
      if (fields !== null) log.warn(fields, 'what an identity provider said is not stored');
    },
  };
}
