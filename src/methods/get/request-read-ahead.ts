import type { PropertyDefinition } from '../../capability/definition.js';
import { hasUserValues } from '../../capability/user-values.js';
import { isJsonObject } from '../../protocol/json.js';
import type { Invocation } from '../../protocol/request.js';
import type { ObjectSelection, QueryPage, StateAndObjects } from '../../store/port.js';
import type { Registry } from '../registry.js';
import { indexOf, propertiesNamed } from '../type-index.js';

/**
 * The /get directly behind a /query that asks for what the query finds (RFC 8620 3.7). The query
 * reads the objects with their ids, in one snapshot, and the /get answers with them.
 *
 * No call of the request runs in between, so no call is answered from an older snapshot than a call
 * before it.
 */
export class RequestReadAhead {
  readonly get: Invocation;
  /** The call id of the query. */
  readonly queryId: string;
  readonly #properties: readonly PropertyDefinition[];
  #page: QueryPage | null = null;
  /** The /get was answered from here. */
  hasAnswered = false;

  constructor(get: Invocation, queryId: string, properties: readonly PropertyDefinition[]) {
    this.get = get;
    this.queryId = queryId;
    this.#properties = properties;
  }

  /** Returns the properties that the query should read along with its ids. */
  selectObjects(maxOctets: number): ObjectSelection {
    return { properties: this.#properties, maxOctets };
  }

  /** Notes what the query has found. */
  notePage(page: QueryPage): void {
    this.#page = page;
  }

  /** Returns the query's objects where `ids` are its ids; null where the /get has to read. */
  answer(ids: readonly string[] | null, maxOctets: number): StateAndObjects | null {
    const page = this.#page;
    const found = page?.found;
    if (!page || !found || found.octets > maxOctets) return null;
    if (ids?.length !== page.ids.length || ids.some((id, at) => id !== page.ids[at])) return null;
    this.hasAnswered = true;
    return { number: page.number, objects: found.objects };
  }
}

const EXPECTED: ReadonlySet<string> = new Set(['accountId', '#ids', 'properties']);

/** Returns what the call behind the one at `at` wants of it; null if that can't be foreseen. */
export function findReadAhead(
  calls: readonly Invocation[],
  at: number,
  { methods, typeHooks }: Registry,
): RequestReadAhead | null {
  const [query, get] = [calls[at], calls[at + 1]];
  if (query === undefined || get === undefined) return null;
  const type = methods.get(query.name)?.dataType;
  if (type === undefined || query.name !== `${type.name}/query`) return null;
  // Hooks may ask for something else, or look at what has become of it. Rights and values of each
  // user are read apart.
  if (get.name !== `${type.name}/get` || typeHooks.has(type.name)) return null;
  if (type.share !== undefined || hasUserValues(type)) return null;
  if (methods.get(get.name)?.dataType !== type) return null;
  const { accountId, '#ids': ids, properties: names = null } = get.args;
  if (accountId !== query.args['accountId'] || !isJsonObject(ids)) return null;
  const { resultOf, name, path } = ids;
  if (resultOf !== query.callId || name !== query.name || path !== '/ids') return null;
  if (Object.keys(get.args).some((member) => !EXPECTED.has(member))) return null;
  const index = indexOf(type);
  if (names === null) return new RequestReadAhead(get, query.callId, index.shown);
  const isListed = Array.isArray(names) && names.every((each) => typeof each === 'string');
  return isListed
    ? new RequestReadAhead(
        get,
        query.callId,
        propertiesNamed(index, names as readonly string[]).properties,
      )
    : null;
}
