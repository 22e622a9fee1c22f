import { createECDH, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { contactOf, Vapid } from '../../../src/push/webpush/vapid.js';
import { makeVapidKey, readVapidKey, type VapidKey } from '../../../src/push/webpush/vapid-key.js';

const HOUR = 3_600_000;
const CONTACT = 'mailto:push@jmap.example.com';

function setUp(now = 1_800_000_000_500) {
  const clock = { now };
  const vapid = new Vapid(CONTACT, () => clock.now);
  const key = makeVapidKey();
  const authorize = (url: string, by = key): string => vapid.authorize(by, new URL(url));
  return { clock, key, authorize };
}

/** Checks the signature as a push service does, with nothing but the header. */
function readHeader(header: string): { readonly claims: unknown; readonly key: string } {
  const [, head = '', body = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  const point = Buffer.from(key, 'base64url');
  const jwk = {
    ...{ kty: 'EC', crv: 'P-256' },
    x: point.toString('base64url', 1, 33),
    y: point.toString('base64url', 33),
  };
  const by = { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const;
  const octets = Buffer.from(signature, 'base64url');
  expect(verify('sha256', Buffer.from(`${head}.${body}`), by, octets)).toBe(true);
  const decode = (text: string): unknown => JSON.parse(Buffer.from(text, 'base64url').toString());
  expect(decode(head)).toEqual({ typ: 'JWT', alg: 'ES256' });
  return { claims: decode(body), key };
}

describe('the header that identifies a server', () => {
  it('RFC 8292 2: names the origin, an end within 24 hours and the contact', () => {
    const { authorize, key } = setUp();
    const { claims, key: shown } = readHeader(authorize('https://push.example.com/a/b?c=d'));
    const aud = 'https://push.example.com';
    expect(claims).toEqual({ aud, exp: 1_800_000_000 + 12 * 3600, sub: CONTACT });
    expect(shown).toBe(key.publicText);
    expect(Buffer.from(shown, 'base64url').length).toBe(65);
  });

  it.each([
    ['https://push.example.com:443/a', 'https://push.example.com'],
    ['https://PUSH.example.com:8443/a', 'https://push.example.com:8443'],
    ['https://[2001:4860:0:0::8888]/a', 'https://[2001:4860::8888]'],
    ['https://[2001:4860::8888]:8443/a', 'https://[2001:4860::8888]:8443'],
    ['https://bücher.example.com/a', 'https://xn--bcher-kva.example.com'],
  ])('gives %s the origin %s', (url, aud) => {
    expect(readHeader(setUp().authorize(url)).claims).toMatchObject({ aud });
  });

  it('is kept for an hour, for each key and origin', () => {
    const { authorize, clock } = setUp();
    const first = authorize('https://a.example.com/1');
    clock.now += HOUR - 1;
    expect(authorize('https://a.example.com/2')).toBe(first);
    expect(authorize('https://b.example.com/1')).not.toBe(first);
    const other = authorize('https://a.example.com/1', makeVapidKey());
    expect(readHeader(other).claims).toMatchObject({ aud: 'https://a.example.com' });
    expect(other).not.toBe(first);
    clock.now += 1;
    expect(authorize('https://a.example.com/1')).not.toBe(first);
  });

  it('is made anew when the clock was set back', () => {
    const { authorize, clock } = setUp();
    authorize('https://a.example.com/');
    clock.now -= 30 * 24 * HOUR;
    const exp = Math.floor((clock.now + 12 * HOUR) / 1000);
    expect(readHeader(authorize('https://a.example.com/')).claims).toMatchObject({ exp });
  });

  it('is forgotten where a thousand others are newer', () => {
    const { authorize } = setUp();
    const [first, second] = [authorize('https://a.test/'), authorize('https://b.test/')];
    for (let index = 0; index < 999; index += 1) authorize(`https://${index}.example.com/`);
    expect(authorize('https://b.test/')).toBe(second);
    expect(authorize('https://a.test/')).not.toBe(first);
  });
});

describe('a key pair', () => {
  const sameAs = (key: VapidKey): unknown =>
    expect.objectContaining({ publicText: key.publicText });

  it('is read again from its text', () => {
    const key = makeVapidKey();
    expect(readVapidKey(key.privateText)).toEqual(sameAs(key));
    expect(readVapidKey(`${key.privateText}=\n`)).toEqual(sameAs(key));
  });

  it('is read from PKCS#8 and from SEC1', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const d = privateKey.export({ format: 'jwk' }).d ?? '';
    const key = readVapidKey(d);
    for (const type of ['pkcs8', 'sec1'] as const) {
      const pem = privateKey.export({ type, format: 'pem' }).toString();
      expect(readVapidKey(pem)).toEqual(sameAs(key ?? makeVapidKey()));
      expect(readVapidKey(pem.replaceAll('\n', '\r\n'))).not.toBeNull();
    }
  });

  it('has 32 octets, also where the private key begins with zeros', () => {
    const small = Buffer.alloc(32);
    small.writeUInt32BE(77, 28);
    const key = readVapidKey(small.toString('base64url'));
    const ecdh = createECDH('prime256v1');
    ecdh.setPrivateKey(small);
    expect(key?.publicText).toBe(ecdh.getPublicKey('base64url'));
    for (let index = 0; index < 600; index += 1) {
      expect(makeVapidKey().privateText.length).toBe(43);
    }
  });

  const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const { privateKey: large } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  it.each([
    ['nothing', ''],
    ['zero', Buffer.alloc(32).toString('base64url')],
    ['a number beyond the curve', Buffer.alloc(32, 0xff).toString('base64url')],
    ['31 octets', Buffer.alloc(31, 1).toString('base64url')],
    ['the alphabet of base64', Buffer.alloc(32, 0xfb).toString('base64')],
    ['an RSA key', rsa.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a key of P-384', large.export({ type: 'pkcs8', format: 'pem' }).toString()],
    ['a public key', publicKey.export({ type: 'spki', format: 'pem' }).toString()],
    ['a broken PEM', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
  ])('is refused: %s', (_, text) => {
    expect(readVapidKey(text)).toBeNull();
  });
});

describe('the contact for push services', () => {
  it.each([
    ['mailto:admin@example.com', 'mailto:admin@example.com'],
    ['MAILTO:a.b+c@mail.example.co.uk', 'mailto:a.b+c@mail.example.co.uk'],
    ['https://example.com', 'https://example.com/'],
    ['https://example.com:8443/contact?a=b', 'https://example.com:8443/contact?a=b'],
    ['https://bücher.de/', 'https://xn--bcher-kva.de/'],
  ])('%s is taken', (text, contact) => {
    expect(contactOf(text)).toBe(contact);
  });

  it.each([
    ...['admin@example.com', 'mailto:admin', 'mailto:admin@localhost', 'mailto:a@b.invalid'],
    ...['mailto:<admin@example.com>', 'mailto: admin@example.com', 'mailto:a@b.test'],
    ...['mailto:a@example.com,b@example.com', 'mailto:a@example.com?subject=x'],
    ...['mailto:a@[192.0.2.1]', 'mailto:a@192.0.2.1', 'mailto:a@example.com.', 'mailto:@a.de'],
    ...['http://example.com', 'https://localhost:8080', 'https://server', 'https://a.local/'],
    ...['https://192.0.2.1/', 'https://[2001:db8::1]/', 'https://u:p@example.com/'],
    ...['https:example.com', 'https:///example.com', 'https://example.com/#a', 'tel:+1', ''],
  ])('%s is refused', (text) => {
    expect(contactOf(text)).toBeNull();
  });
});
