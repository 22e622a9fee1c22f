import { afterEach, expect, it } from 'vitest';
import { readHold } from '../../examples/mail/capabilities/submission/hold.js';
import {
  isAddress,
  isOfIdentity,
  maySendFrom,
  whyNotToSend,
} from '../../examples/mail/capabilities/submission/senders.js';

afterEach(() => {
  delete process.env['MAIL_DOMAINS'];
  delete process.env['MAIL_SUSPENDED'];
});

it('MAIL_DOMAINS lists the domains that users send from', () => {
  expect(maySendFrom('a@example.com')).toBe(true);
  process.env['MAIL_DOMAINS'] = 'example.org, Example.net';
  expect(['a@EXAMPLE.org', '*@example.net', 'a@example.com'].map(maySendFrom)).toEqual([
    true,
    true,
    false,
  ]);
});

it('MAIL_SUSPENDED lists users who send nothing', () => {
  process.env['MAIL_SUSPENDED'] = 'u1,u2';
  expect(whyNotToSend('u2')).toContain('must not send');
  expect(whyNotToSend('u3')).toBeNull();
});

it('RFC 8621 6: an identity has one address, or all of a domain', () => {
  expect(isOfIdentity('Joe@EXAMPLE.com', 'Joe@example.com')).toBe(true);
  expect(isOfIdentity('joe@example.com', 'Joe@example.com')).toBe(false);
  expect(isOfIdentity('any@example.com', '*@example.com')).toBe(true);
  expect(isOfIdentity('any@sub.example.com', '*@example.com')).toBe(false);
});

it.each([
  ['a.b+c@example.com', true],
  ['"a b"@example.com', true],
  ['jörg@exämple.de', true],
  ['a@[IPv6:::1]', true],
  ['a', false],
  ['a@', false],
  ['a@-b.c', false],
  ['a b@c.d', false],
  ['a@b@c', false],
  ['a\n@b.c', false],
  [`${'a'.repeat(65)}@b.c`, false],
])('RFC 5321 4.1.2: %j is an address: %s', (email, is) => {
  expect(isAddress(email)).toBe(is);
});

it.each([
  [{}, 1000],
  [{ HOLDFOR: '60' }, 61_000],
  [{ HoldUntil: '1970-01-01T01:00:00+00:30' }, 1_800_000],
  [{ HOLDFOR: '2592001' }, null],
  [{ HOLDFOR: '-1' }, null],
  [{ HOLDFOR: null }, null],
  [{ HOLDFOR: '1', HOLDUNTIL: '1970-01-01T01:00:00Z' }, null],
  [{ HOLDUNTIL: '1970-01-01T00:00:00Z' }, null],
])('RFC 4865: the parameters %j hold a message until %s', (parameters, until) => {
  expect(readHold(parameters, 1000)).toBe(until);
});
