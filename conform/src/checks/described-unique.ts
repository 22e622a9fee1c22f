import type { ModelProperty, ModelUnique } from '../../../src/descriptor/model.js';
import type { CopyAnswer } from '../client/answers.js';
import { asMap, type Json, type JsonMap, same } from '../client/json.js';
import { type Matcher, satisfying } from '../expected.js';
import { NotApplicable } from '../not-applicable.js';
import { findLink } from '../subject/links.js';
import type { Subject } from '../subject/subject.js';
import { Targets } from './targets.js';

/**
 * Builds a value for each property of a unique key. A property that has few values, or a prepared
 * reference, gets the same value each time.
 */
export async function buildKey(
  subject: Subject,
  targets: Targets,
  properties: readonly ModelProperty[],
): Promise<JsonMap> {
  const values: [string, Json][] = [];
  for (const property of properties) {
    const { name, schema } = property;
    const reference = findLink(property);
    const prepared = subject.readPrepared(subject.A1)[name];
    if (prepared !== undefined) values.push([name, prepared]);
    else if (reference !== undefined)
      values.push([name, await targets.make(reference.type, subject.A1)]);
    else if (schema.const !== undefined) values.push([name, schema.const as Json]);
    else if (schema.enum !== undefined) values.push([name, schema.enum[0] as Json]);
    else values.push([name, subject.drawDiffering(name)]);
  }
  return Object.fromEntries(values);
}

/** Runs for each key of a type, with nothing there that could collide. */
export async function forEachKey(
  subject: Subject,
  work: (unique: ModelUnique, shared: JsonMap) => Promise<void>,
): Promise<void> {
  const targets = new Targets(subject);
  try {
    for (const unique of subject.described.uniques) {
      await subject.clear(subject.A1);
      const key = await buildKey(subject, targets, unique.properties);
      // Values that can't differ may be those of an object that was there before.
      for (const item of subject.listForeign().values())
        if (Object.entries(key).every(([name, value]) => same(item[name] ?? null, value)))
          throw new NotApplicable(
            `${subject.type} ${item.id} already has the value that the check needs.`,
          );
      await work(unique, key);
    }
  } finally {
    await subject.clear(subject.A1);
    await targets.tidy();
  }
}

/**
 * Matches the SetError of an object that would share what is unique. A strict run wants
 * alreadyExists with the other's id; RFC 8620 has no word for it but in a copy.
 */
export const matchTaken = ({ server }: Subject, existingId: string): Matcher =>
  satisfying(`a SetError alreadyExists with ${existingId}`, (value) => {
    const error = asMap(value as Json);
    if (!server.strict) return typeof error['type'] === 'string';
    return error['type'] === 'alreadyExists' && error['existingId'] === existingId;
  });

/** Returns why no unique value of the type can be copied; null where one can. */
export const needCopiedKey = ({ described: { uniques } }: Subject): string | null =>
  uniques.some(({ properties }) => properties.every(({ references }) => references.length === 0))
    ? null
    : 'The type has nothing unique that can be copied as it is.';

/** Copies an object into an account that has its like, for each key, and removes both again. */
export async function forEachCopiedKey(
  subject: Subject,
  work: (answer: CopyAnswer, existingId: string) => void,
): Promise<void> {
  const { A1: fromAccountId, A2: accountId, type } = subject;
  await subject.prepare(accountId);
  await forEachKey(subject, async ({ properties }, key) => {
    // The objects that a reference names are in the first account.
    if (properties.some(({ references }) => references.length > 0)) return;
    try {
      const [id, existingId] = [await subject.putOne(key), await subject.putOne(key, accountId)];
      const create = { k: { id, ...subject.readPrepared() } };
      work(await subject.client.copy(type, { fromAccountId, accountId, create }), existingId);
    } finally {
      await subject.clear(accountId);
    }
  });
}

/** Returns why the type has nothing unique; null where it has. */
export const needKey = ({ described }: Subject): string | null =>
  described.uniques.length > 0 ? null : 'Two objects of the type may share all of their values.';

/**
 * Finds a property of a key that an update can change to a value that no object has; undefined
 * where there is none.
 */
export const findChangeable = ({ properties }: ModelUnique): ModelProperty | undefined =>
  properties.find(
    ({ access, schema, references }) =>
      access === 'mutable' && schema.enum === undefined && references.length === 0,
  );

/** Returns why no update can change a unique value; null where one can. */
export const needChangeable = (subject: Subject): string | null =>
  subject.described.uniques.some((one) => findChangeable(one) !== undefined)
    ? null
    : 'The type has nothing unique that an update can change.';
