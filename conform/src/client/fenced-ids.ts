import { asMap, type Json, type JsonMap } from './json.js';

/** Ids of objects that a call can change, read from its arguments before it is sent. */

/** The runner did not send a request: it would change an object that it did not make. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/**
 * Returns the forms in which an argument is given, however a server may spell its name, and by
 * reference.
 */
export function listGiven(
  args: JsonMap,
  argument: string,
  calls: readonly Json[],
): readonly Json[] {
  const wanted = argument.toLowerCase();
  return Object.entries(args).flatMap(([name, value]) => {
    if (name.replaceAll(/[#_]/g, '').toLowerCase() !== wanted) return [];
    return [name.startsWith('#') ? readEcho(value, calls) : value];
  });
}

/**
 * Returns the values that a reference finds: known before it is sent where it is to an echo, and
 * otherwise not sent.
 */
function readEcho(reference: Json, calls: readonly Json[]): Json {
  const { resultOf, path } = asMap(reference);
  const [name, args] = calls.filter(Array.isArray).find((one) => one[2] === resultOf) ?? [];
  const echoed = Object.entries(asMap(args));
  if (name !== 'Core/echo' || echoed.some(([key]) => key.startsWith('#')))
    throw new FencedError(
      `The runner writes nothing that it can’t foresee: ${JSON.stringify(reference)}.`,
    );
  const member = echoed.find(([key]) => `/${key}` === path);
  // A longer path finds something within, which is not told apart.
  return member === undefined ? echoed.map(([, value]) => value) : member[1];
}

/** Returns the ids that an update names; a patch of nothing changes nothing. */
export function listUpdated(update: Json | undefined): readonly string[] {
  if (update === null || typeof update !== 'object' || Array.isArray(update))
    return listTexts(update);
  return Object.entries(update).flatMap(([id, patch]) =>
    Object.keys(asMap(patch)).length === 0 && !Array.isArray(patch) ? [] : [id],
  );
}

/** Returns the ids of what a copy is made of. */
export const listOriginals = (object: Json): readonly string[] => listTexts(asMap(object)['id']);

/** Returns all strings in a value, which servers might take for ids. */
export function listTexts(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || value === undefined || typeof value !== 'object') return [];
  return Object.values(value).flatMap((inner) => listTexts(inner));
}

/**
 * Tells whether a request, as the text that is sent, may make or change something. An upload of
 * octets doesn't count: two of them come to one blob.
 */
export const mayWrite = (text: string): boolean => /\/(set|copy|upload)|\\u/i.test(text);
