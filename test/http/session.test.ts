import { describe, expect, it } from 'vitest';
import type { CapabilityDefinition } from '../../src/capability/capability-definition.js';
import { type RuntimeMembers, Sessions } from '../../src/protocol/session.js';
import {
  account,
  type Harness,
  head,
  http,
  principal,
  RawConnection,
  startHarness,
} from './harness.js';

const capability: CapabilityDefinition = {
  urn: 'urn:x',
  name: 'x',
  descriptorHash: 'sha256-1',
  session: { fixed: true },
  accountSession: { perAccount: 1 },
  bareSession: false,
  accountLevel: true,
  dataTypes: [],
  methods: [],
};

function sessions(
  capabilities: readonly CapabilityDefinition[] = [capability],
  runtime: ReadonlyMap<string, RuntimeMembers> = new Map(),
  baseUrl: string | null = null,
) {
  return new Sessions({ capabilities, runtime, baseUrl });
}

const owner = principal('u1', 't1', [account('A0', { isPersonal: false }), account('A1')]);

describe('RFC 8620 2: the session object', () => {
  it('has every field, with run-time members beside those of the descriptor', () => {
    const runtime = new Map<string, RuntimeMembers>([
      ['urn:x', { session: (base) => ({ at: `${base}/here` }), account: () => ({ most: 5 }) }],
    ]);
    const made = sessions([capability], runtime);
    const session = JSON.parse(made.text(owner, 'https://h')) as unknown;
    const ofAccount = { accountCapabilities: { 'urn:x': { perAccount: 1, most: 5 } } };
    expect(session).toEqual({
      capabilities: { 'urn:x': { fixed: true, at: 'https://h/here', descriptorHash: 'sha256-1' } },
      accounts: {
        A0: { name: 'A0', isPersonal: false, isReadOnly: false, ...ofAccount },
        A1: { name: 'A1', isPersonal: true, isReadOnly: false, ...ofAccount },
      },
      primaryAccounts: { 'urn:x': 'A1' },
      username: 'u1',
      apiUrl: 'https://h/jmap',
      downloadUrl: 'https://h/jmap/download/{accountId}/{blobId}/{name}?type={type}',
      uploadUrl: 'https://h/jmap/upload/{accountId}',
      eventSourceUrl:
        'https://h/jmap/eventsource?types={types}&closeafter={closeafter}&ping={ping}',
      state: made.state(owner),
    });
  });

  it('an account has only capabilities of accounts that it may use', () => {
    const limited = account('A1', { capabilities: new Set(['urn:y']) });
    const shown = sessions([
      capability,
      { ...capability, urn: 'urn:y' },
      { ...capability, urn: 'urn:z', accountLevel: false },
    ]);
    const text = shown.text(principal('u', 't', [limited]), '');
    expect(JSON.parse(text)).toMatchObject({ primaryAccounts: { 'urn:y': 'A1' } });
    const { accounts } = JSON.parse(text) as { accounts: Record<string, Record<string, object>> };
    expect(Object.keys(accounts['A1']?.['accountCapabilities'] ?? {})).toEqual(['urn:y']);
  });

  it('its state follows its content and each capability’s descriptor, and nothing else', () => {
    const state = sessions().state(owner);
    const same = principal('u1', 'another-token', [...owner.accounts.values()]);
    expect(sessions().state(same)).toBe(state);
    expect(sessions().text(owner, 'https://one')).toContain(state);
    expect(sessions().text(owner, 'https://two')).toContain(state);
    const bare = { ...capability, bareSession: true };
    const others = [
      sessions().state(principal('u2', 't1', [...owner.accounts.values()])),
      sessions().state(principal('u1', 't1', [account('A1')])),
      sessions().state(principal('u1', 't1', [account('A0', { name: 'B' }), account('A1')])),
      sessions().state(principal('u1', 't1', [account('A0', { isReadOnly: true }), account('A1')])),
      sessions([{ ...capability, session: {} }]).state(owner),
      sessions([bare]).state(owner),
      sessions([{ ...bare, descriptorHash: 'sha256-2' }]).state(owner),
      sessions([capability], new Map(), 'https://h').state(owner),
    ];
    expect(new Set([state, ...others]).size).toBe(others.length + 1);
  });

  it('names of Object.prototype are plain members', () => {
    const odd = principal('u', 't', [account('__proto__'), account('constructor')]);
    const { accounts } = JSON.parse(sessions().text(odd, '')) as { accounts: object };
    expect(Object.keys(accounts)).toEqual(['__proto__', 'constructor']);
  });
});

async function apiUrl(
  harness: Harness,
  lines: readonly string[],
  version = '1.1',
): Promise<string> {
  const raw = new RawConnection(harness);
  const request = head('/.well-known/jmap', ['Connection: close', ...lines], 'GET');
  raw.write(request.replace('Host: test\r\n', '').replace('HTTP/1.1', `HTTP/${version}`));
  await raw.closed;
  return /"apiUrl":"([^"]*)"/.exec(raw.received)?.[1] ?? raw.received.slice(9, 12);
}

describe('the base URL', () => {
  it('is the request’s host, with IPv6 and ports, if that is a host', async () => {
    const harness = await startHarness();
    expect(await apiUrl(harness, ['Host: example.org'])).toBe('http://example.org/jmap');
    expect(await apiUrl(harness, ['Host: [::1]:8080'])).toBe('http://[::1]:8080/jmap');
    expect(await apiUrl(harness, ['Host: a"b'])).toBe('400');
    expect(await apiUrl(harness, ['Host: evil.example/x?y'])).toBe('400');
    expect(await apiUrl(harness, ['Host: user@evil.example'])).toBe('400');
    expect(await apiUrl(harness, [])).toBe('400');
    expect(await apiUrl(harness, [], '1.0')).toBe(`${harness.url}/jmap`);
  });

  it('forwarded headers count from trusted peers only', async () => {
    const forwarded = [
      'Host: inner',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: outer.example',
    ];
    const trusting = await startHarness({ env: { TRUST_PROXY: 'loopback' } });
    expect(await apiUrl(trusting, forwarded)).toBe('https://outer.example/jmap');
    const standard = ['Host: inner', 'Forwarded: for=1.2.3.4;proto=https;host="std.example:8443"'];
    expect(await apiUrl(trusting, standard)).toBe('https://std.example:8443/jmap');
    expect(await apiUrl(trusting, ['Host: inner', 'X-Forwarded-Proto: ftp'])).toBe(
      'http://inner/jmap',
    );
    expect(await apiUrl(trusting, ['Host: inner', 'X-Forwarded-Host: a b'])).toBe('400');
    const wary = await startHarness({ env: { TRUST_PROXY: '10.0.0.0/8' } });
    expect(await apiUrl(wary, forwarded)).toBe('http://inner/jmap');
  });

  it('of several forwarded values the outermost trusted proxy’s counts', async () => {
    const harness = await startHarness({ env: { TRUST_PROXY: 'loopback,10.0.0.0/8' } });
    const lines = ['Host: inner', 'X-Forwarded-For: 203.0.113.9, 10.0.0.1'];
    const hosts = 'X-Forwarded-Host: forged.example, outer.example, middle.example';
    expect(await apiUrl(harness, [...lines, hosts])).toBe('http://outer.example/jmap');
  });

  it('a configured one wins, and no cache may keep the session', async () => {
    const harness = await startHarness({ env: { BASE_URL: 'https://x.example/a/' } });
    const response = await http(harness, '/a/.well-known/jmap');
    expect(await response.json()).toMatchObject({ apiUrl: 'https://x.example/a/jmap' });
    expect(response.headers.get('cache-control')).toBe('no-cache, no-store, must-revalidate');
    const headOnly = await http(harness, '/a/.well-known/jmap', { method: 'HEAD' });
    expect([headOnly.status, await headOnly.text()]).toEqual([200, '']);
  });
});
