import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { UsageError } from '../../src/descriptor/command-line.js';
import { trusting, WIRE, type Wire } from './client/watching.js';

/**
 * Returns the options of connections that `--timeout` and `--ca` set. Throws UsageError where one
 * is wrong.
 */
export async function wireOf(
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
  return trusting({ patience }, pem, ...(known === '' ? [] : [known]));
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
