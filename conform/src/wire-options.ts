import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../../src/descriptor/command-line.js';
import type { TransportName } from './client/connection.js';
import { trustAuthorities, WIRE, type Wire } from './client/watching.js';
import { makeOptionError } from './selection-options.js';

/**
 * Returns the options of connections that `--timeout` and `--ca` set. Throws UsageError where one
 * is wrong.
 */
export async function readWire(
  { ca, timeout }: { readonly ca?: string | undefined; readonly timeout?: string | undefined },
  { NODE_EXTRA_CA_CERTS: extra = '' }: Readonly<Record<string, string | undefined>>,
): Promise<Wire> {
  if (timeout !== undefined && !/^[1-9]\d{0,4}$/.test(timeout))
    throw new UsageError(`--timeout is a number of seconds from 1 to 99999, not ${timeout}.`);
  const patience = timeout === undefined ? WIRE.patience : Number(timeout) * 1000;
  if (ca === undefined) return { patience };
  const pem = await readFile(ca, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--ca ${ca} can't be read (${error.code ?? error.message}).`);
  });
  requireCertificates(ca, pem);
  // A list of authorities replaces the ones that this variable adds, so they are added. Node itself
  // warns where it can't read the file.
  const known = extra === '' ? '' : await readFile(extra, 'utf8').catch(() => '');
  return trustAuthorities({ patience }, pem, ...(known === '' ? [] : [known]));
}

/** Throws UsageError unless a text has certificates in PEM, and no block that is none. */
function requireCertificates(file: string, pem: string): void {
  const blocks = [...pem.matchAll(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs)];
  if (blocks.length === 0)
    throw new UsageError(`--ca ${file} has no certificate in PEM (-----BEGIN CERTIFICATE-----).`);
  for (const [index, [block]] of blocks.entries())
    try {
      new X509Certificate(block);
    } catch (error) {
      const { message } = error as Error;
      throw new UsageError(`--ca ${file}: certificate ${index + 1} can't be read (${message}).`);
    }
}

/** Throws UsageError where `--url` is no URL of HTTP or holds credentials. */
export function requireUrl(text: string): void {
  if (!URL.canParse(text)) throw new UsageError(`--url ${text} is no URL.`);
  const { protocol, username, password } = new URL(text);
  // Reports and errors tell the URL.
  if (username !== '' || password !== '')
    throw new UsageError('--url has no user and no password: --basic USER:PASSWORD has them.');
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`--url ${text} begins with neither https:// nor http://.`);
}

/** Returns the transport of a name. Throws UsageError where there is none. */
export function readTransport(word: string): TransportName {
  if (word === 'http' || word === 'websocket') return word;
  throw makeOptionError('--transport', word, ['http', 'websocket']);
}
