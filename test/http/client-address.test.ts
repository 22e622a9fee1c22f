import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ClientAddresses, coarsenAddress } from '../../src/http/client-address.js';

function find(
  peer: string,
  headers: IncomingMessage['headers'] = {},
  trust: readonly string[] = [],
): ReturnType<ClientAddresses['find']> {
  // The two members that count.
  const req = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
  return new ClientAddresses(trust).find(req);
}

const keyOf = (...args: Parameters<typeof find>): string | undefined => find(...args)?.key;

describe('the key of an address', () => {
  it.each([
    ['203.0.113.7', '::ffff:203.0.113.7'],
    ['203.0.113.7', '::ffff:cb00:7107'],
    ['203.0.113.7', '64:ff9b::203.0.113.7'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002::1%eth0'],
  ])('%s and %s count as one', (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it.each([
    ['203.0.113.7', '203.0.113.8'],
    ['::ffff:1.2.3.4', '::ffff:1.2.3.5'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8::1.2.3.4', '1.2.3.4'],
  ])('%s and %s count apart', (one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('groups are of 16 bits, and no group is an address', () => {
    const groups = ['203.0.113.7', '203.0.1.1', '203.1.1.1', '2001:db8::1', '2001:1::'].map(
      (text) => coarsenAddress(keyOf(text) ?? ''),
    );
    expect(groups).toEqual(['4cb00', '4cb00', '4cb01', '62001', '62001']);
  });

  it('a connection that is gone has none', () => {
    expect(find('')).toBeNull();
  });

  it.each([
    ['203.0.114.7', true],
    ['2a00:1450::1', true],
    ['127.0.0.1', false],
    ['::1', false],
    ['10.1.2.3', false],
    ['::ffff:192.168.0.1', false],
    ['fd00::1', false],
    ['fe80::1%eth0', false],
  ])('%s is public: %s', (text, isPublic) => {
    expect(find(text)?.isPublic).toBe(isPublic);
  });
});

describe('the address of a client behind proxies', () => {
  const trust = ['loopback', '10.0.0.0/8'];
  const forwarded = (text: string): IncomingMessage['headers'] => ({ forwarded: text });
  const list = (text: string): IncomingMessage['headers'] => ({ 'x-forwarded-for': text });

  it.each([
    ['a peer that nobody trusts', '203.0.113.1', list('203.0.113.7'), '203.0.113.1'],
    ['the one proxy', '127.0.0.1', list('203.0.113.7'), '203.0.113.7'],
    ['a forged first entry', '127.0.0.1', list('203.0.113.9, 203.0.113.7'), '203.0.113.7'],
    ['two proxies', '127.0.0.1', list('1.1.1.1, 203.0.113.7, 10.0.0.2'), '203.0.113.7'],
    ['trusted ones alone', '127.0.0.1', list('10.0.0.3, 10.0.0.2'), '10.0.0.3'],
    ['an entry with a port', '127.0.0.1', list('203.0.113.7:4711'), '203.0.113.7'],
    ['an entry of IPv6', '127.0.0.1', list('2001:db8:1:2::1'), '2001:db8:1:2::1'],
    ['an entry in brackets', '127.0.0.1', list('[2001:db8::1]:80'), '2001:db8::1'],
    ['an entry that is no address', '127.0.0.1', list('203.0.113.7, x, 10.0.0.2'), '10.0.0.2'],
    ['Forwarded', '127.0.0.1', forwarded('for=203.0.113.7;proto=https'), '203.0.113.7'],
    ['IPv6', '::1', forwarded('proto=https;For="[2001:db8::1]:4711"'), '2001:db8::1'],
    ['IPv4 and a port', '127.0.0.1', forwarded('for="203.0.113.7:80"'), '203.0.113.7'],
    ['a hidden client', '127.0.0.1', forwarded('for=_hidden, for=10.0.0.2'), '10.0.0.2'],
    ['an unknown client', '127.0.0.1', forwarded('for=unknown'), '127.0.0.1'],
    ['a mapped proxy', '::ffff:127.0.0.1', list('203.0.113.7'), '203.0.113.7'],
  ])('%s', (_, peer, headers, address) => {
    expect(keyOf(peer, headers, trust)).toBe(keyOf(address));
  });

  it('Forwarded wins over X-Forwarded-For', () => {
    const both = { ...forwarded('for=203.0.113.7'), ...list('203.0.113.8') };
    expect(keyOf('127.0.0.1', both, trust)).toBe(keyOf('203.0.113.7'));
  });

  it('a proxy that nobody trusts is told apart from a client', () => {
    const headers = list('203.0.113.7');
    expect(find('127.0.0.1', headers)).toMatchObject({ isPublic: false, isOfProxy: true });
    expect(find('127.0.0.1', headers, trust)).toMatchObject({ isPublic: false, isOfProxy: false });
    expect(find('127.0.0.1')).toMatchObject({ isOfProxy: false });
  });
});
