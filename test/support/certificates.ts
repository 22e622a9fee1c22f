import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** A certificate and its key, in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Authority {
  /** The certificate that signs the others, in PEM. */
  readonly ca: string;
  /** Makes a certificate for names and IPv4 addresses; `days`: until when, from now. */
  issue(names: readonly string[], days?: number): Certificate;
}

const DAY = 24 * 3_600_000;

/** Makes an authority of its own: nobody trusts it who isn't told to. */
export function makeAuthority(): Authority {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = distinguishedName(`authority ${randomBytes(4).toString('hex')}`);
  const isAuthority = extension([2, 5, 29, 19], der(0x30, der(0x01, Buffer.of(0xff))));
  const ca = certificate({ issuer, subject: issuer, ...own, extensions: [isAuthority], days: 1 });
  return {
    ca,
    issue(names, days = 1) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const alternatives = names.map((name) =>
        isIPv4(name)
          ? der(0x87, Buffer.from(name.split('.').map(Number)))
          : der(0x82, Buffer.from(name)),
      );
      const cert = certificate({
        issuer,
        subject: distinguishedName('leaf'),
        publicKey: leaf.publicKey,
        privateKey: own.privateKey,
        extensions: [extension([2, 5, 29, 17], der(0x30, ...alternatives))],
        days,
      });
      return { cert, key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
    },
  };
}

interface Contents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  /** The issuer's. */
  readonly privateKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly days: number;
}

/** Returns an X.509 certificate (RFC 5280 4.1) in PEM. */
function certificate(contents: Contents): string {
  const { issuer, subject, publicKey, privateKey, extensions, days } = contents;
  const ecdsaWithSha256 = der(0x30, objectId([1, 2, 840, 10045, 4, 3, 2]));
  const validity = der(0x30, time(Date.now() - 10 * DAY), time(Date.now() + days * DAY));
  const serial = Buffer.concat([Buffer.of(1), randomBytes(8)]);
  const unsigned = der(
    0x30,
    ...[der(0xa0, der(0x02, Buffer.of(2))), der(0x02, serial), ecdsaWithSha256],
    ...[issuer, validity, subject, publicKey.export(SPKI)],
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', unsigned, privateKey));
  const base64 = der(0x30, unsigned, ecdsaWithSha256, signature).toString('base64');
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

const SPKI = { type: 'spki', format: 'der' } as const;

/** Encodes a value by its tag (X.690 8.1). */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), value]);
  return Buffer.concat([Buffer.of(tag, 0x82, length >> 8, length & 0xff), value]);
}

function objectId([first = 0, second = 0, ...others]: readonly number[]): Buffer {
  const octets = others.flatMap((arc) => {
    const digits = [arc & 0x7f];
    for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.of(first * 40 + second, ...octets));
}

function distinguishedName(name: string): Buffer {
  const commonName = der(0x30, objectId([2, 5, 4, 3]), der(0x0c, Buffer.from(name)));
  return der(0x30, der(0x31, commonName));
}

function extension(id: readonly number[], value: Buffer): Buffer {
  return der(0x30, objectId(id), der(0x04, value));
}

/** GeneralizedTime. */
function time(epoch: number): Buffer {
  const digits = new Date(epoch).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x18, Buffer.from(digits));
}
