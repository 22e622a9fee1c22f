import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { asMap, type Json, type JsonMap, same } from '../client/json.js';
import { listGivable, listWritable, type World } from './described.js';
import type { Subject } from './subject.js';
import { countOctets, listValues } from './values.js';

/**
 * Objects that a server is known to take, by type: a descriptor doesn't tell every rule that it
 * has.
 */
export type Samples = ReadonlyMap<string, readonly JsonMap[]>;

/** A file of samples that isn't one. */
export class SampleError extends Error {
  override readonly name = 'SampleError';
}

/**
 * Returns the samples of a JSON or YAML file: an object that has a list of objects for each type.
 */
export async function readSamples(file: string, world: World): Promise<Samples> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SampleError(`--samples ${file} can't be read (${error.code ?? error.message}).`);
  });
  const value = parseFile(file, text);
  const samples = new Map<string, readonly JsonMap[]>();
  for (const [type, list] of Object.entries(value)) {
    const found = world.get(type);
    const types = [...world.keys()].join(', ');
    if (found === undefined)
      throw new SampleError(`--samples ${file}: ${type} is none of the types: ${types}.`);
    if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
      throw new SampleError(`--samples ${file}: ${type} is a list of at least one object.`);
    const names = listWritable(found.type).map(({ name }) => name);
    for (const name of list.flatMap((one) => Object.keys(one as JsonMap)))
      if (!names.includes(name))
        throw new SampleError(
          `--samples ${file}: ${type} has no ${name} that a client sets. ` +
            `It has ${names.join(', ')}.`,
        );
    samples.set(type, list as JsonMap[]);
  }
  return samples;
}

/** Reads a file of samples as JSON or YAML. Throws SampleError where it is neither. */
function parseFile(file: string, text: string): JsonMap {
  try {
    const value = parse(text) as Json;
    if (isObject(value)) return value;
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new SampleError(`--samples ${file} is neither JSON nor YAML: ${line}`);
  }
  throw new SampleError(`--samples ${file} is an object: a list of objects for each type.`);
}

/** Tells whether a value is a JSON object. */
const isObject = (value: Json): value is JsonMap =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Error types of a refusal that the RFC or a descriptor gives a reason for. */
const EXPLAINED: ReadonlySet<unknown> = new Set([
  ...['overQuota', 'tooLarge', 'rateLimit', 'notFound', 'invalidPatch', 'willDestroy'],
  ...['singleton', 'alreadyExists', 'objectIsLinked', 'blobNotFound'],
]);

/**
 * Finds why a check that failed shows nothing: a create or an update that the descriptor allows was
 * refused while it ran, and is refused again by itself. Returns null where there is none.
 */
export async function findRefusedSample(subject: Subject): Promise<string | null> {
  const { server, type, profile } = subject;
  for (const { accountId, id, error, ...one } of server.fence.refusals) {
    const object = dropLinks(subject, one.object);
    if (one.type !== type || EXPLAINED.has(error['type'])) continue;
    if (!isLegal(subject, object, id !== null)) continue;
    if (!server.listWritable(profile.capability).includes(accountId)) continue;
    const again = await tryAgain(subject, accountId, object, id !== null);
    if (again !== null)
      return (
        `The server refuses this sample: ${type} ${showObject(object)}: ` +
        `${JSON.stringify(again)}. ` +
        (explainBounds(subject, object, again) ?? '--samples FILE gives objects that it takes.')
      );
  }
  return null;
}

/** Characters of a text that a reason shows. */
const WIDTH = 40;

/** Returns an object as JSON in which long texts are cut. */
const showObject = (object: JsonMap): string =>
  JSON.stringify(object, (_name, value: Json) => {
    const signs = typeof value === 'string' ? [...value] : [];
    if (signs.length <= WIDTH) return value;
    return `${signs.slice(0, WIDTH).join('')}... (${signs.length} characters)`;
  });

/**
 * Returns what a reader must look at where the server took other values of the properties that it
 * names in a refusal; null where it took none, or names none.
 */
function explainBounds({ server, type }: Subject, object: JsonMap, error: JsonMap): string | null {
  const { properties } = error;
  const names = Array.isArray(properties) ? properties.map(String) : [];
  const isKnown = (name: string) => name in object && server.fence.hasStoredValue(type, name);
  if (names.length === 0 || !names.every(isKnown)) return null;
  return (
    `It took other values of ${names.join(', ')} in this run: the server or the descriptor is ` +
    'wrong about the bounds, or the server has a rule that the descriptor lacks.'
  );
}

/**
 * Drops the references that need not be there: what they lead to is gone when a sample is tried
 * again.
 */
function dropLinks({ described, profile }: Subject, object: JsonMap): JsonMap {
  const links = described.properties.filter(
    (one) => one.references.length > 0 && !profile.given.includes(one),
  );
  return dropMembers(
    object,
    links.map(({ name }) => name),
  );
}

/**
 * Tries the same create again, or the same update of another object. Returns its SetError; null
 * where it is done.
 */
async function tryAgain(
  subject: Subject,
  accountId: string,
  object: JsonMap,
  isPatch: boolean,
): Promise<JsonMap | null> {
  const { profile } = subject;
  if (profile.singleton) {
    const { notUpdated } = await subject.set({ accountId, update: { singleton: object } });
    return notUpdated?.['singleton'] ?? null;
  }
  await subject.clear(accountId);
  await subject.prepare(accountId);
  const create = { k: isPatch ? subject.create('sample', accountId) : object };
  const { created, notCreated } = await subject.set({ accountId, create });
  const id = created?.['k']?.id;
  if (id === undefined || !isPatch) {
    // A server that takes no object at all is told from one that refuses this one.
    if (id === undefined && !subject.server.fence.hasStored(subject.type))
      await subject.set({ accountId, create: { k: subject.create('sample', accountId) } });
    await subject.clear(accountId);
    return id === undefined ? (notCreated?.['k'] ?? {}) : null;
  }
  const { notUpdated } = await subject.set({ accountId, update: { [id]: object } });
  await subject.clear(accountId);
  return notUpdated?.[id] ?? null;
}

/**
 * Tells whether all values are legal as far as the descriptor tells, and as far as the runner can
 * say.
 */
function isLegal(subject: Subject, object: JsonMap, isPatch: boolean): boolean {
  const { described, profile, samples } = subject;
  const names = Object.keys(object);
  if (names.length === 0 || countOctets(object) > profile.octets) return false;
  const canGive = listGivable(described).filter(({ access }) => !isPatch || access === 'mutable');
  const properties = new Map(canGive.map((one) => [one.name, one]));
  if (isPatch && names.some((name) => !properties.has(name))) return false;
  return names.every((name) => {
    const value = object[name] ?? null;
    if (name === profile.text && typeof value === 'string')
      return subject.allows(value) && value.isWellFormed() && !value.includes('\u0000');
    if (samples.some((sample) => same(sample[name] ?? null, value))) return true;
    if (profile.given.some((one) => one.name === name)) return subject.isGiven(name, value);
    const property = properties.get(name);
    return property !== undefined && listValues(property).good.some((one) => same(one, value));
  });
}

/** Returns a sample's values without those that a type gives in its own way. */
export const dropMembers = (sample: JsonMap | undefined, but: readonly string[]): JsonMap =>
  Object.fromEntries(Object.entries(asMap(sample)).filter(([name]) => !but.includes(name)));
