import { asMap, type Json, type JsonMap } from '../../src/client/json.js';
import type { Fault } from '../proxy.js';
import {
  accepted,
  changeResponses,
  copies,
  creates,
  dropping,
  entries,
  items,
  list,
  onRequest,
  onResponse,
  onResponses,
  patches,
  setErrors,
  strings,
} from './makers.js';

/**
 * Faults against a descriptor's words about what may be absent: optional and undeclared properties,
 * and objects that others refer to.
 */

/** Tells whether a name is one of the undeclared properties that checks give. */
const isUndeclared = (name: string): boolean => /^(example[.]com:)?conform/.test(name);

/** Shows each object as the proxy saw it first. */
function showFirst(): Partial<Fault> {
  const seen = new Map<string, JsonMap>();
  return items((item) => {
    const id = String(item['id']);
    if (!seen.has(id)) seen.set(id, item);
    return seen.get(id) ?? item;
  });
}

/** Takes ids of destroyed objects out of a member that may keep them. */
function forgetDestroyed(): Partial<Fault> {
  const gone = new Set<string>();
  return onResponses(([name, args, id]) => {
    if (Array.isArray(args['destroyed']))
      for (const one of args['destroyed']) gone.add(String(one));
    const text = JSON.stringify(args).replaceAll(/"deputyId":"([^"]*)"/g, (member, one: string) =>
      gone.has(one) ? '"deputyId":null' : member,
    );
    return [name, JSON.parse(text) as JsonMap, id];
  });
}

const dropNulls = (object: JsonMap): JsonMap => dropping(object, (_name, value) => value === null);

const destroyFaults: readonly Fault[] = [
  {
    name: 'an object goes though others refer to it',
    checks: ['described-links-restrict'],
    ...accepted('objectIsLinked'),
  },
  {
    name: 'what refers to a linked object is not told',
    checks: ['described-links-restrict'],
    ...setErrors((error) => dropping(error, (name) => name === 'objectIds')),
  },
  {
    name: 'what cascades is there on',
    checks: ['described-links-cascade'],
    ...changeResponses('get', ({ notFound, list: found, ...args }) => ({
      ...args,
      list: [...(found as Json[]), ...(notFound as string[]).map((id) => ({ id }))],
      notFound: [],
    })),
  },
  {
    name: 'an object that is destroyed stays in references',
    checks: ['described-links-set-null'],
    ...showFirst(),
  },
  {
    name: 'an object that a reference is taken out of keeps its time',
    checks: ['described-links-set-null'],
    ...items((item) => ({ ...item, updated: '2026-01-31T12:00:00Z' })),
  },
  {
    name: 'a weak reference goes with what it names',
    checks: ['described-links-keep'],
    ...forgetDestroyed(),
  },
];

const optionalFaults: readonly Fault[] = [
  {
    name: 'what is absent is shown as null',
    checks: [
      'described-optional-absent',
      'described-optional-removed',
      'described-optional-copied',
    ],
    ...items((item) => ({ reason: null, ...item })),
  },
  {
    name: 'null is shown as absent',
    checks: ['described-optional-removed'],
    ...items((item) => dropNulls(item)),
  },
  {
    name: 'a copy that leaves out an optional property gets one',
    checks: ['described-optional-copied'],
    ...copies((one) => ({ reason: 'none', ...one })),
  },
  {
    name: 'a null of a copy is not looked at',
    checks: ['described-optional-copied'],
    ...copies(dropNulls),
  },
];

/** Renames a member wherever it stands; the server refuses `toString`. */
const renameIn = (value: JsonMap, from: string, to: string): JsonMap =>
  asMap(strings(value, (text) => (text === from ? to : text)));

const unknownFaults: readonly Fault[] = [
  {
    name: 'undeclared properties are dropped',
    checks: [
      'described-unknown-kept',
      'described-unknown-removed',
      'described-unknown-patched',
      'described-unknown-copied',
      'described-unknown-bounds',
    ],
    ...items((item) => dropping(item, isUndeclared)),
  },
  {
    name: 'an undeclared property is refused by its name',
    checks: ['described-unknown-kept', 'described-unknown-removed'],
    ...onResponse((response) => renameIn(response, 'toString', 'conformPlain')),
    ...onRequest((request) => renameIn(request, 'conformPlain', 'toString')),
  },
  {
    name: 'undeclared properties lose their capital letters',
    checks: ['described-unknown-kept'],
    ...items((item) =>
      asMap(
        entries(item, (all) =>
          all.map(
            ([name, value]) => [isUndeclared(name) ? name.toLowerCase() : name, value] as const,
          ),
        ),
      ),
    ),
  },
  {
    name: 'a null of a patch is not looked at',
    checks: ['described-unknown-removed', 'described-optional-removed'],
    ...patches(dropNulls),
  },
  {
    name: 'an undeclared property that is removed is shown as null',
    checks: ['described-unknown-removed'],
    ...items((item) => ({ conformPlain: null, ...item })),
  },
  {
    name: 'a patch of a member replaces the undeclared property',
    checks: ['described-unknown-patched'],
    ...patches((patch) =>
      asMap(
        entries(patch, (all) =>
          all.map(
            ([name, value]) =>
              [isUndeclared(name) ? name.replace(/[/].*/, '') : name, value] as const,
          ),
        ),
      ),
    ),
  },
  {
    name: 'pointers into lists, and behind what is not there, are taken',
    checks: ['described-unknown-patched'],
    ...accepted('invalidPatch'),
  },
  {
    name: 'a change of an undeclared property is none',
    checks: ['described-unknown-told'],
    ...list('changes', 'updated', () => []),
  },
  {
    name: 'a copy loses an undeclared property',
    checks: ['described-unknown-copied'],
    ...copies((one) => ({ conformPlain: null, ...one })),
  },
  {
    name: 'undeclared properties of a copy are those of the original',
    checks: ['described-unknown-copied'],
    ...copies((one) => dropping(one, isUndeclared)),
  },
  {
    name: 'any number of undeclared properties is taken, and some are dropped',
    checks: ['described-unknown-bounds'],
    ...creates((object) => asMap(entries(object, (all) => all.slice(0, 50)))),
  },
  {
    name: 'undeclared properties beyond the bounds are taken',
    checks: ['described-unknown-bounds'],
    ...accepted('invalidProperties'),
  },
];

export const describedAbsentFaults: readonly Fault[] = [
  ...destroyFaults,
  ...optionalFaults,
  ...unknownFaults,
];
