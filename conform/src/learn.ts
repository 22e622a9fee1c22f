import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { decode } from '../../src/descriptor/descriptor-file.js';
import { asMap } from './client/json.js';
import {
  type DescriptorSource,
  readSelfDescribed,
  readWorld,
  type World,
} from './subject/described.js';
import type { Server } from './subject/server.js';
import { HTTP, REFERENCE } from './subject/session.js';

/** A descriptor can't be read: a file, or the answer of the server. */
export class UnreadableError extends Error {
  override readonly name = 'UnreadableError';
}

/** A descriptor describes what the server doesn't have. */
export class ForeignError extends Error {
  override readonly name = 'ForeignError';
}

/**
 * Reads the types that files describe, whether a server has them or not. Returns null where there
 * are no files.
 */
export async function readDescribed(files: readonly string[]): Promise<World | null> {
  return files.length === 0 ? null : readWorld(await readAll(files));
}

/**
 * Returns the types to check: the described ones, or else those of the server's own reference.
 * Throws ForeignError where the session lacks a described capability.
 */
export async function learnTypes(
  server: Server,
  files: readonly string[],
  described: World | null,
): Promise<World> {
  const { capabilities } = server.user.session;
  // A user who gives a descriptor wants its types checked: to leave them out would be a pass that
  // says nothing.
  for (const [type, { capability }] of described ?? [])
    if (!(capability in capabilities))
      throw new ForeignError(
        `${files.join(', ')}: ${type} is of ${capability}, which the session doesn't have. ` +
          `It has ${Object.keys(capabilities).join(', ')}.`,
      );
  if (described !== null) return described;
  const told = readSelfDescribed(await fetchAll(server));
  return new Map([...told].filter(([, { capability }]) => capability in capabilities));
}

/** Reads a file that descriptors share; undefined where it is missing or no UTF-8. */
function readBeside(file: string): string | undefined {
  try {
    return decode(readFileSync(file));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

/** Reads descriptors. Throws UnreadableError where a file is missing or no UTF-8. */
function readAll(files: readonly string[]): Promise<readonly DescriptorSource[]> {
  return Promise.all(
    files.map(async (file) => {
      const octets = await readFile(file).catch((error: NodeJS.ErrnoException) => {
        throw new UnreadableError(`${file} can't be read (${error.code ?? error.message}).`);
      });
      const text = decode(octets);
      if (text === undefined) throw new UnreadableError(`${file} is not UTF-8.`);
      return { file, text, readBeside };
    }),
  );
}

/**
 * Fetches the descriptor of each capability by the URL template that `urn:jmapsmith:reference` has
 * in the session. Returns none where the session has no such template. Throws UnreadableError where
 * an answer is neither a descriptor nor 404.
 */
async function fetchAll(server: Server): Promise<readonly DescriptorSource[]> {
  const { session, http } = server.user;
  const { url } = asMap(session.capabilities[REFERENCE]);
  if (typeof url !== 'string') return [];
  const sources: DescriptorSource[] = [];
  for (const capability of Object.keys(session.capabilities)) {
    const place = session.expandTemplate(`${REFERENCE} url`, url, HTTP, { capability });
    const { status, text } = await http.send(place);
    if (status === 200) sources.push({ file: `${capability}.json`, text });
    // A type that can't be read would be left out, as if all its checks had passed.
    else if (status !== 404) throw new UnreadableError(`GET ${place} answered ${status}.`);
  }
  return sources;
}
