import { createECDH } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encryptMessage } from '../../../src/push/webpush/encrypt.js';
import { parseSubscriptionKeys } from '../../../src/push/webpush/subscription-keys.js';
import { makeReceiver } from './receiver.js';

/** RFC 8291 appendix A. */
const VECTOR = {
  plaintext: 'V2hlbiBJIGdyb3cgdXAsIEkgd2FudCB0byBiZSBhIHdhdGVybWVsb24',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  body:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml' +
    'mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
    'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

const octets = (text: string): Buffer => Buffer.from(text, 'base64url');

describe('the encryption of a push message', () => {
  it('RFC 8291 appendix A: the example has the octets of the RFC', () => {
    const body = encryptMessage(
      octets(VECTOR.plaintext),
      { p256dh: octets(VECTOR.p256dh), auth: octets(VECTOR.auth) },
      { salt: octets(VECTOR.salt), privateKey: octets(VECTOR.privateKey) },
    );
    expect(body.toString('base64url')).toBe(VECTOR.body);
  });

  it('is what another decoder reads, whatever the message', () => {
    const { keys, read } = makeReceiver();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 900 }), (text) => {
        const plaintext = Buffer.from(text.toWellFormed());
        fc.pre(plaintext.length <= 3993);
        const body = encryptMessage(plaintext, keys);
        expect(read(body)).toBe(plaintext.toString());
        expect(body.length).toBe(plaintext.length + 103);
      }),
      { numRuns: 50 },
    );
  });

  it('takes a fresh key pair and a fresh salt for each message', () => {
    const { keys } = makeReceiver();
    const bodies = Array.from({ length: 20 }, () => encryptMessage(Buffer.from('{}'), keys));
    const salts = bodies.map((body) => body.toString('hex', 0, 16));
    const senders = bodies.map((body) => body.toString('hex', 21, 86));
    expect([new Set(salts).size, new Set(senders).size]).toEqual([20, 20]);
  });

  it('fills a message of 4,096 octets, and refuses one octet more', () => {
    const { keys, read } = makeReceiver();
    const body = encryptMessage(Buffer.alloc(3993, 'x'), keys);
    expect(body.length).toBe(4096);
    expect(read(body)).toBe('x'.repeat(3993));
    expect(() => encryptMessage(Buffer.alloc(3994), keys)).toThrow(
      new RangeError('A push message has at most 3993 octets, not 3994.'),
    );
  });
});

describe('the keys of a subscription', () => {
  const { texts } = makeReceiver();
  const point = octets(texts.p256dh);
  const ecdh = createECDH('prime256v1');
  const compressed = ecdh.generateKeys('base64url', 'compressed');
  const offCurve = Buffer.from(point);
  offCurve[64] = (offCurve[64] ?? 0) ^ 1;
  const hybrid = Buffer.concat([Buffer.of(6 + ((point[64] ?? 0) % 2)), point.subarray(1)]);
  const at = (keys: unknown): unknown => {
    const parsed = parseSubscriptionKeys(keys);
    return 'at' in parsed ? `${parsed.at} ${parsed.problem}` : parsed;
  };

  it('are read with padding and without', () => {
    const keys = { p256dh: point, auth: octets(texts.auth) };
    expect(parseSubscriptionKeys(texts)).toEqual(keys);
    const padded = { p256dh: `${texts.p256dh}=`, auth: `${texts.auth}==` };
    expect(parseSubscriptionKeys(padded)).toEqual(keys);
  });

  it.each([
    ['no object', 'x', 'keys must be an object with the members p256dh and auth, or null'],
    ['a list', [], 'keys must be an object with the members p256dh and auth, or null'],
    [
      'a further member',
      { ...texts, rs: 1 },
      'keys must have the members p256dh and auth, not "rs"',
    ],
    [
      'no p256dh',
      { auth: texts.auth },
      'keys/p256dh is missing: it must be the base64url of 65 octets',
    ],
    [
      'no auth',
      { p256dh: texts.p256dh },
      'keys/auth is missing: it must be the base64url of 16 octets',
    ],
    ['a number', { ...texts, auth: 16 }, 'keys/auth must be the base64url of 16 octets'],
    [
      'the alphabet of base64',
      { ...texts, auth: Buffer.alloc(16, 0xfb).toString('base64') },
      'keys/auth must be the base64url of 16 octets',
    ],
    [
      'half of the padding',
      { ...texts, auth: `${texts.auth}=` },
      'keys/auth must be the base64url of 16 octets',
    ],
    [
      'white space',
      { ...texts, auth: ` ${texts.auth}` },
      'keys/auth must be the base64url of 16 octets',
    ],
    [
      'an auth of 15 octets',
      { ...texts, auth: Buffer.alloc(15).toString('base64url') },
      'keys/auth must be the base64url of 16 octets, not of 15',
    ],
    [
      'an auth of 17 octets',
      { ...texts, auth: Buffer.alloc(17).toString('base64url') },
      'keys/auth must be the base64url of 16 octets, not of 17',
    ],
    [
      'a point of 64 octets',
      { ...texts, p256dh: point.subarray(1).toString('base64url') },
      'keys/p256dh must be the base64url of 65 octets, not of 64',
    ],
    [
      'a compressed point',
      { ...texts, p256dh: compressed },
      'keys/p256dh must be the base64url of 65 octets, not of 33',
    ],
    [
      'a point off the curve',
      { ...texts, p256dh: offCurve.toString('base64url') },
      'keys/p256dh must be an uncompressed point on the curve P-256',
    ],
    [
      'a point in the hybrid form',
      { ...texts, p256dh: hybrid.toString('base64url') },
      'keys/p256dh must be an uncompressed point on the curve P-256',
    ],
  ])('are refused with the place: %s', (_, keys, fault) => {
    expect(at(keys)).toBe(fault);
  });
});
