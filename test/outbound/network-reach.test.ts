import type { LookupAddress } from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isReachable } from '../../src/outbound/address.js';
import { type HostGlob, parseHostGlob } from '../../src/outbound/host-glob.js';
import { Reach } from '../../src/outbound/network-reach.js';
import { parseSubnet, type Subnet } from '../../src/outbound/subnet.js';

function subnets(...texts: string[]): readonly Subnet[] {
  return texts.map((text) => parseSubnet(text)).filter((one) => one !== null);
}

function globs(...texts: string[]): readonly HostGlob[] {
  return texts.map((text) => parseHostGlob(text)).filter((one) => one !== null);
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'push.example.com': ['93.184.215.14', '2606:2800:21f::1'],
  'private.example.com': ['10.1.2.3'],
  'half.example.com': ['93.184.215.14', '10.1.2.3'],
  'six.example.com': ['93.184.215.14', 'fd00::1'],
  // Their resolvers follow the chain of names.
  'chain.example.com': ['127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'a.localhost': ['127.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
};

const INSIDE = Object.keys(NAMES).filter((name) => name !== 'push.example.com');

function reaching(options: Partial<ConstructorParameters<typeof Reach>[0]> = {}): Reach {
  const resolve = async (name: string): Promise<readonly string[]> => {
    const addresses = NAMES[name];
    if (addresses === undefined) throw new Error(`${name} does not exist`);
    return addresses;
  };
  return new Reach({ allow: [], deny: [], hosts: [], resolve, ...options });
}

function lookUp(reach: Reach, name: string, all: boolean): Promise<unknown> {
  return new Promise((resolve, reject) => {
    reach.lookup(name, { all }, (error, found: string | LookupAddress[]) => {
      if (error === null) resolve(found);
      else reject(error);
    });
  });
}

afterEach(() => {
  vi.useRealTimers();
});

describe('addresses', () => {
  it.each([
    ...['8.8.8.8', '93.184.215.14', '2001:4860:4860::8888', '2606:2800:21f::1', '172.32.0.1'],
  ])('%s is public', (address) => {
    expect(isReachable(address, { allow: [], deny: [] })).toBe(true);
  });

  it.each([
    ...[
      '0.0.0.0',
      '0.1.2.3',
      '10.0.0.1',
      '100.64.0.1',
      '127.0.0.1',
      '127.255.0.1',
      '169.254.169.254',
    ],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1', '192.168.0.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
    ...['::', '::1', '::7f00:1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'],
    ...['64:ff9b:1::1', '100::1', '100:0:0:1::1', '2001::1', '2001:db8::1', '2002:7f00:1::'],
    ...['3fff::1', '4000::1', '5f00::1', 'fc00::1', 'fd00::1', 'fe80::1', 'fec0::1', 'ff02::1'],
    ...['2001:4860::8888%eth0', 'example.com', '', '1.2.3', '0x8080808'],
  ])('%s is not public', (address) => {
    expect(isReachable(address, { allow: [], deny: [] })).toBe(false);
  });

  it('beyond the public ones are exactly those that are allowed, without those denied', () => {
    const rules = {
      allow: subnets('10.1.0.0/16', 'fd00:1::/32', '192.168.7.7'),
      deny: subnets('10.1.9.0/24', '8.8.0.0/16'),
    };
    const reachable = ['10.1.2.3', 'fd00:1::9', '192.168.7.7', '8.9.0.1'];
    const others = ['10.1.9.1', '8.8.8.8', '10.2.0.1', '127.0.0.1', 'fd00:2::1', '192.168.7.8'];
    expect(reachable.filter((one) => !isReachable(one, rules))).toEqual([]);
    expect(others.filter((one) => isReachable(one, rules))).toEqual([]);
    expect(isReachable('::ffff:10.1.2.3', rules)).toBe(false);
  });

  it.each([
    ...['10.0.0.0/33', 'fd00::/129', '10.1/16', '10.0.0.0/', '10.0.0.0/-1', '/8', 'a', ''],
    ...['fe80::%eth0/10', '0x0a.0.0.0/8', '010.0.0.0/8', '10.0.0.0/8/8', ' 10.0.0.0/8'],
  ])('%s is no subnet', (text) => {
    expect(parseSubnet(text)).toBeNull();
  });
});

describe('the lookup of sockets', () => {
  it('returns all addresses of a public name, or one', async () => {
    const reach = reaching();
    expect(await lookUp(reach, 'push.example.com', true)).toEqual([
      { address: '93.184.215.14', family: 4 },
      { address: '2606:2800:21f::1', family: 6 },
    ]);
    expect(await lookUp(reach, 'push.example.com', false)).toBe('93.184.215.14');
  });

  it.each(INSIDE)('fails for %s as for a name that does not exist', async (name) => {
    const reach = reaching();
    const failure = await lookUp(reach, name, true).catch((error: unknown) => error);
    const missing = await lookUp(reach, 'no.example.com', true).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ENOTFOUND', message: `${name} leads nowhere` });
    expect(missing).toMatchObject({ code: 'ENOTFOUND', message: 'no.example.com leads nowhere' });
  });
});

describe('where a URL leads', () => {
  const judge = (reach: Reach, host: string): Promise<boolean> =>
    reach.leadsOutside(new URL(`https://${host}/`));

  it('is outside for public names and addresses, which need no wait', async () => {
    const reach = reaching();
    expect(await judge(reach, 'push.example.com')).toBe(true);
    expect(await judge(reach, '93.184.215.14:8443')).toBe(true);
    expect(await judge(reach, '[2606:2800:21f::1]')).toBe(true);
  });

  it('tells by no answer and by no time whether a name is inside or missing', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
    const never = new Promise<readonly string[]>(() => undefined);
    const slow = reaching({ resolve: () => never });
    const answers = new Map<string, number>();
    const ask = (name: string, reach: Reach): void => {
      void judge(reach, name).then((leads) => {
        if (!leads) answers.set(name, performance.now());
      });
    };
    const began = performance.now();
    const early = [...INSIDE, 'no.example.com', '10.1.2.3', '[::1]', '0x7f.1'];
    for (const name of early) ask(name, reaching());
    ask('slow.example.com', slow);
    await vi.advanceTimersByTimeAsync(999);
    expect([...answers]).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(answers).toEqual(new Map(early.map((name) => [name, began + 1000])));
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers.get('slow.example.com')).toBe(began + 2000);
  });

  it('is outside where a subnet is allowed, and there alone', async () => {
    const reach = reaching({ allow: subnets('10.1.0.0/16') });
    expect(await judge(reach, 'private.example.com')).toBe(true);
    expect(await judge(reach, 'half.example.com')).toBe(true);
    expect(await judge(reach, '10.1.9.9')).toBe(true);
    expect(reach.mayTry(new URL('https://127.0.0.1/'))).toBe(false);
    expect(reach.mayTry(new URL('https://10.2.0.1/'))).toBe(false);
  });

  it('is limited to the hosts that match a glob, where there is one', () => {
    const reach = reaching({ hosts: globs('*.push.apple.com', 'fcm.GoogleApis.com', 'ntfy*') });
    const may = (host: string): boolean => reach.mayTry(new URL(`https://${host}/`));
    const fitting = ['web.push.apple.com', 'a.b.push.apple.com', 'fcm.googleapis.com', 'ntfy-1'];
    const others = ['push.apple.com', 'web-push.apple.com', 'fcm.googleapis.com.example.com'];
    expect(fitting.filter((host) => !may(host))).toEqual([]);
    expect([...others, 'fcmxgoogleapis.com', '8.8.8.8'].filter(may)).toEqual([]);
  });

  it.each(['', 'a/b', 'https://a', 'a b', '**', 'bücher.example', '*'.repeat(300)])(
    '%j is no glob of hosts',
    (text) => {
      expect(parseHostGlob(text)).toBeNull();
    },
  );
});
