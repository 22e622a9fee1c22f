import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeAuthority } from '../support/certificates.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { startServer } from '../support/server.js';

const RESOURCE = 'https://jmap.example.com';
const AWAY = 'an identity provider could not be asked';
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'identity-start-'));
});

afterAll(() => rm(folder, { recursive: true }));

it('A start with a wrong AUTH_FILE ends with 2, and the line of each problem', async () => {
  const file = join(folder, 'auth.yaml');
  await writeFile(
    file,
    `issuers:
  - issuer: https://id.example.com
    audience: [${RESOURCE}]
    clockTolerence: 5m
    opaque: { clientId: jmap, secretFile: missing }
`,
  );
  const start = startServer({ env: { AUTH_FILE: file, BASE_URL: RESOURCE } });
  const said = await start.then(
    () => expect.unreachable(),
    (error: Error) => error.message,
  );
  expect(said).toContain('It ended with 2.');
  expect(said).toContain('AUTH_FILE is not usable:');
  expect(said).toContain(`${file}:4`);
  expect(said).toContain('clockTolerance');
  expect(said).toContain(`${file}:5`);
  expect(said).not.toMatch(/\n\s+at /);
});

it('The authority of NODE_EXTRA_CA_CERTS proves who a provider is', async () => {
  const authority = makeAuthority();
  const provider = await startProvider(authority.issue(['127.0.0.1']));
  const trusted = join(folder, 'authority.pem');
  await writeFile(trusted, authority.ca);
  const { issuer } = provider;
  const env = { OIDC_ISSUER: issuer, OIDC_AUDIENCE: RESOURCE, BASE_URL: RESOURCE };
  const statusWith = async (more: Readonly<Record<string, string>>): Promise<number> => {
    const server = await startServer({ env: { ...env, OIDC_ALLOW: '127.0.0.1', ...more } });
    const { status } = await new Client(server.url, await provider.sign()).http(
      '/.well-known/jmap',
    );
    const hasLogged = () => (server.stdout() + server.stderr()).includes(AWAY);
    // A line of the log may come behind the answer.
    if (status === 503) await eventually(() => expect(hasLogged()).toBe(true), 10_000);
    await server.remove();
    expect(hasLogged()).toBe(status === 503);
    return status;
  };
  expect(await statusWith({})).toBe(503);
  expect(await statusWith({ NODE_EXTRA_CA_CERTS: trusted })).toBe(200);
  await provider.close();
});

/** Starts a provider that has a document and a key. */
async function startProvider(certificate: { readonly cert: string; readonly key: string }) {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one' };
  let issuer = '';
  const server = createServer(certificate, ({ url }, response) => {
    const document = { issuer, jwks_uri: `${issuer}/keys` };
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(url === '/keys' ? { keys: [jwk] } : document));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  issuer = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    sign: () =>
      new SignJWT({ scope: 'todos' })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setAudience(RESOURCE)
        .setSubject('ann')
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
