import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { UsageError } from '../../src/descriptor/command-line.js';
import type { Options } from './options.js';
import { PushSink } from './push/sink.js';

/** Reads from the options how a server reaches the runner with its pushes. */

/** Starts the sink of the options; null where they name none. Throws UsageError. */
export async function startSink(options: Options): Promise<PushSink | null> {
  const { 'push-sink': url, 'push-listen': listen, 'push-certificate': file } = options;
  if (url === undefined) {
    for (const [name, value] of Object.entries({ listen, certificate: file }))
      if (value !== undefined)
        throw new UsageError(`--push-${name} is for --push-sink URL, which is missing.`);
    return null;
  }
  requireSinkUrl(url);
  const port = listen ?? (new URL(url).port || '443');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--push-listen is a port from 0 to 65535, not ${port}.`);
  const certificate = file === undefined ? undefined : await readCertificate(file);
  const given = certificate === undefined ? {} : { certificate };
  return await PushSink.start({ url, port: Number(port), ...given }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new UsageError(
        `--push-listen ${port}: the runner can't listen there (${error.code ?? error.message}).`,
      );
    },
  );
}

/** Throws UsageError where `--push-sink` can't begin the URL of a push subscription. */
function requireSinkUrl(text: string): void {
  if (!URL.canParse(text)) throw new UsageError(`--push-sink ${text} is no URL.`);
  const { protocol, username, password, search, hash } = new URL(text);
  if (username !== '' || password !== '')
    throw new UsageError('--push-sink has no user and no password.');
  if (protocol !== 'https:')
    throw new UsageError(`--push-sink ${text} does not begin with https:// (RFC 8620 7.2).`);
  if (search !== '' || hash !== '')
    throw new UsageError(
      `--push-sink ${text} has no query and no fragment: paths are added to it.`,
    );
}

/** Reads a certificate and its key. Throws UsageError where one is missing or wrong. */
async function readCertificate(file: string): Promise<{ cert: string; key: string }> {
  const pem = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `--push-certificate ${file} can't be read (${error.code ?? error.message}).`,
    );
  });
  try {
    new X509Certificate(pem);
    createSecureContext({ cert: pem, key: pem });
  } catch (error) {
    const { message } = error as Error;
    throw new UsageError(
      `--push-certificate ${file} has no certificate with its private key, in PEM (${message}).`,
    );
  }
  return { cert: pem, key: pem };
}
