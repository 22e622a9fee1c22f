import { UnexpectedError } from '../unexpected.js';
import { isMap, type Json, type JsonMap } from './json.js';

/** Members of responses that checks go through: what isn't of this form is told by its name. */

/** Names the forms that a member of a response can have. */
type Form = 'ids' | 'objects' | 'map' | 'made' | 'items';

interface Row {
  readonly section: string;
  readonly members: Readonly<Record<string, Form>>;
  /** Members that may be left out or null (RFC 8620 3.5). */
  readonly optional?: readonly string[];
}

const SET_MAPS = ['updated', 'notCreated', 'notUpdated', 'notDestroyed'];
const makeMaps = (names: readonly string[]): Record<string, Form> =>
  Object.fromEntries(names.map((name) => [name, 'map']));

/** Lists for each standard method the form of each member of its response (RFC 8620 5). */
const FORMS: Readonly<Record<string, Row>> = Object.freeze({
  get: {
    section: '5.1',
    members: { list: 'objects', notFound: 'ids' },
    optional: ['notFound'],
  },
  changes: {
    section: '5.2',
    members: { created: 'ids', updated: 'ids', destroyed: 'ids' },
  },
  set: {
    section: '5.3',
    members: { created: 'made', ...makeMaps(SET_MAPS), destroyed: 'ids' },
    optional: ['created', ...SET_MAPS, 'destroyed'],
  },
  copy: {
    section: '5.4',
    members: { created: 'made', notCreated: 'map' },
    optional: ['created', 'notCreated'],
  },
  query: { section: '5.5', members: { ids: 'ids' } },
  queryChanges: { section: '5.6', members: { removed: 'ids', added: 'items' } },
});

const hasId = (value: Json): boolean => isMap(value) && typeof value['id'] === 'string';

const KINDS: Readonly<
  Record<Form, { readonly words: string; readonly is: (value: Json) => boolean }>
> = Object.freeze({
  ids: {
    words: 'a list of ids',
    is: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
  },
  objects: {
    words: 'a list of objects, each with an id',
    is: (value) => Array.isArray(value) && value.every(hasId),
  },
  items: {
    words: 'a list of objects, each with an id and an index',
    is: (value) =>
      Array.isArray(value) &&
      value.every((one) => hasId(one) && typeof (one as JsonMap)['index'] === 'number'),
  },
  map: { words: 'an object', is: isMap },
  made: {
    words: 'an object of objects, each with an id',
    is: (value) => isMap(value) && Object.values(value).every(hasId),
  },
});

/**
 * Returns a response's arguments; throws UnexpectedError that names the first member of another
 * form.
 */
export function requireForm(method: string, response: JsonMap): JsonMap {
  const row = FORMS[method.slice(method.lastIndexOf('/') + 1)];
  for (const [name, form] of Object.entries(row?.members ?? {})) {
    const value = response[name] ?? null;
    if (value === null && row?.optional?.includes(name) === true) continue;
    const { words, is } = KINDS[form];
    if (is(value)) continue;
    const shown = name in response ? JSON.stringify(value).slice(0, 200) : 'missing';
    throw new UnexpectedError(
      `The response of ${method} has ${words} as \`${name}\` (${row?.section}): it is ${shown}.`,
    );
  }
  return response;
}
