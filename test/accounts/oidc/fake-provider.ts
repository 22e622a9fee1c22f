import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { onTestFinished } from 'vitest';
import { JsonClient } from '../../../src/outbound/json-client.js';
import { parseSubnet } from '../../../src/outbound/subnet.js';

/** An identity provider over HTTP, with as much of one as a resource server sees. */
export interface FakeProvider {
  readonly issuer: string;
  /** Paths that were asked, since the last look at them. */
  takeAsked(): readonly string[];
  /** Names of its keys. */
  names: readonly string[];
  /** Where its keys are, below the issuer. */
  keysPath: string;
  introspection: string | null;
  /** All answers are 503. */
  isAway: boolean;
}

/** Starts one whose issuer has a path. It ends with the test. */
export async function startFakeProvider(...names: readonly string[]): Promise<FakeProvider> {
  const { publicKey } = await generateKeyPair('ES256', { extractable: true });
  const key: JWK = await exportJWK(publicKey);
  const asked: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    const body = provider.isAway ? undefined : bodyOf(url);
    response.writeHead(provider.isAway ? 503 : body === undefined ? 404 : 200);
    response.end(JSON.stringify(body ?? { error: 'none' }));
  });
  const bodyOf = (path: string): unknown => {
    const { issuer, introspection } = provider;
    if (path === '/team/.well-known/openid-configuration') {
      const endpoint = introspection === null ? {} : { introspection_endpoint: introspection };
      return { issuer, jwks_uri: `${issuer}${provider.keysPath}`, ...endpoint };
    }
    if (path !== `/team${provider.keysPath}`) return undefined;
    return { keys: provider.names.map((kid) => ({ ...key, kid, alg: 'ES256' })) };
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const provider: FakeProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}/team`,
    takeAsked: () => asked.splice(0),
    names,
    keysPath: '/keys',
    introspection: null,
    isAway: false,
  };
  return provider;
}

/** A client that may ask this machine. It ends with the test. */
export function openLocalClient(): JsonClient {
  const allow = [parseSubnet('127.0.0.0/8')].filter((subnet) => subnet !== null);
  const client = new JsonClient({ allow, variable: 'OIDC_ALLOW' });
  onTestFinished(() => client.close());
  return client;
}
