import type { DataTypeDefinition, PropertyDefinition } from '../../capability/definition.js';
import { isJsonObject, type JsonObject } from '../../protocol/json.js';
import type { Invocation } from '../../protocol/request.js';
import type {
  FoundObjects,
  StateAndObjects,
  StoredObject,
  WantedObjects,
} from '../../store/port.js';
import type { AskedIds } from '../creation-ids.js';
import { propertiesNamed } from '../properties.js';
import type { Registry } from '../registry.js';
import { indexOf } from '../type-index.js';

/** A call, as far as it decides what it may have of what is foreseen. */
interface AskingCall {
  readonly account: { readonly id: string } | undefined;
  readonly request: { readonly remainingOctets: number; readonly foresight?: Foresight | null };
  readonly services: { readonly limits: { readonly maxObjectsInGet: number } };
}

/**
 * What a call's result is going to be used for: RFC 8620 3.7 has clients send a /query, and behind it a /get of
 * what it finds. The objects are read with their ids, in one snapshot; the /get is answered from there, with the
 * state of that snapshot, where all that it turns out to ask for is there, and reads as ever where not.
 *
 * Only the /gets that directly follow are foreseen. So nothing of the request is run in between, and no call is
 * answered from an older snapshot than a call before it.
 */
export class Foresight {
  readonly accountId: string;
  readonly type: DataTypeDefinition;
  readonly properties: readonly PropertyDefinition[];
  /** The index of the last call that it is for. */
  readonly last: number;
  /** Of the call that finds what is foreseen. */
  readonly callId: string;
  /** So many calls have been answered from here. */
  answers = 0;
  #number = 0;
  #octets = 0;
  #ids: readonly string[] = [];
  #objects: readonly StoredObject[] | null = null;
  /** By id, null for what there is none of; made for what is asked for in another order. */
  #known: ReadonlyMap<string, StoredObject | null> | null = null;

  constructor(
    accountId: string,
    type: DataTypeDefinition,
    properties: readonly PropertyDefinition[],
    last: number,
    callId: string,
  ) {
    this.accountId = accountId;
    this.type = type;
    this.properties = properties;
    this.last = last;
    this.callId = callId;
  }

  /** Notes what was found of `ids`, with the state it was found with. */
  found(number: number, ids: readonly string[], { objects, octets }: FoundObjects): void {
    this.#number = number;
    this.#octets = octets;
    this.#ids = ids;
    this.#objects = objects;
    this.#known = null;
  }

  /** What was found where that is what `asked` names, each object once, in this order; null where it isn't. */
  all(
    context: AskingCall,
    type: DataTypeDefinition,
    asked: readonly string[],
    properties: readonly PropertyDefinition[],
  ): StateAndObjects | null {
    const objects = this.#usable(context, type, properties);
    if (objects === null || asked.length !== objects.length) return null;
    for (let index = 0; index < asked.length; index += 1) {
      if (objects[index]?.id !== asked[index]) return null;
    }
    this.answers += 1;
    return { number: this.#number, objects };
  }

  /** The objects that exist of `ids`, in this order; null where something else has to be read. */
  answer(
    context: AskingCall,
    type: DataTypeDefinition,
    { existing }: AskedIds,
    properties: readonly PropertyDefinition[],
  ): StateAndObjects | null {
    const found = this.#usable(context, type, properties);
    if (found === null) return null;
    const objects: StoredObject[] = [];
    if (existing.size > 0) this.#known ??= known(this.#ids, found);
    for (const id of existing.keys()) {
      const object = this.#known?.get(id);
      if (object === undefined) return null;
      if (object !== null) objects.push(object);
    }
    this.answers += 1;
    return { number: this.#number, objects };
  }

  #usable(
    context: AskingCall,
    type: DataTypeDefinition,
    properties: readonly PropertyDefinition[],
  ): readonly StoredObject[] | null {
    if (this.#objects === null || this.#octets > context.request.remainingOctets) return null;
    if (context.account?.id !== this.accountId || type !== this.type) return null;
    return isSame(properties, this.properties) ? this.#objects : null;
  }
}

function known(
  ids: readonly string[],
  objects: readonly StoredObject[],
): ReadonlyMap<string, StoredObject | null> {
  const byId = new Map<string, StoredObject | null>();
  for (const id of ids) byId.set(id, null);
  for (const object of objects) byId.set(object.id, object);
  return byId;
}

/** The objects that a call had better read along with at most so many ids; null for none. */
export function wantedBy(
  context: AskingCall,
  type: DataTypeDefinition,
  ids: number,
): WantedObjects | null {
  const { foresight = null, remainingOctets } = context.request;
  if (foresight === null || foresight.type !== type) return null;
  if (foresight.accountId !== context.account?.id) return null;
  // A /get of more would be refused.
  if (ids > context.services.limits.maxObjectsInGet) return null;
  return { properties: foresight.properties, maxOctets: remainingOctets };
}

/** Where a standard method's response has ids of its own type (5.2, 5.5), by the end of its name. */
const PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['query', ['/ids']],
  ['changes', ['/created', '/updated']],
]);

/** What the calls behind the one at `at` want of it; null for nothing that can be foreseen. */
export function foresightOf(
  calls: readonly Invocation[],
  at: number,
  registry: Registry,
): Foresight | null {
  const call = calls[at];
  const next = calls[at + 1];
  if (call === undefined || next === undefined) return null;
  const type = registry.methods.get(call.name)?.dataType;
  if (type === undefined || type.singleton === true) return null;
  const paths = PATHS.get(call.name.slice(call.name.lastIndexOf('/') + 1));
  const { accountId } = call.args;
  if (paths === undefined || typeof accountId !== 'string') return null;
  const get = registry.methods.get(next.name);
  // Hooks may ask for something else, or look at what has become of it.
  if (get?.dataType !== type || registry.typeHooks.has(type.name)) return null;
  let properties: readonly PropertyDefinition[] | null = null;
  let last = at;
  while (last + 1 < calls.length) {
    const wanted = propertiesWanted(calls[last + 1], get.name, call, paths, type);
    if (wanted === null || (properties !== null && !isSame(wanted, properties))) break;
    properties ??= wanted;
    last += 1;
  }
  return properties && new Foresight(accountId, type, properties, last, call.callId);
}

/** Of a /get of what an earlier call is going to name, and of nothing else. */
function propertiesWanted(
  get: Invocation | undefined,
  name: string,
  of: Invocation,
  paths: readonly string[],
  type: DataTypeDefinition,
): readonly PropertyDefinition[] | null {
  if (get?.name !== name || get.args['accountId'] !== of.args['accountId']) return null;
  for (const member of Object.keys(get.args)) if (!EXPECTED.has(member)) return null;
  if (!isReference(get.args['#ids'], of, paths)) return null;
  const names = get.args['properties'] ?? null;
  if (names === null) return indexOf(type).visible;
  if (!Array.isArray(names)) return null;
  const texts = names.filter((each) => typeof each === 'string');
  return texts.length < names.length ? null : propertiesNamed(indexOf(type), texts).properties;
}

const EXPECTED: ReadonlySet<string> = new Set(['accountId', '#ids', 'properties']);

function isReference(
  value: JsonObject[string] | undefined,
  of: Invocation,
  paths: readonly string[],
): boolean {
  if (value === undefined || !isJsonObject(value)) return false;
  const { resultOf, name, path } = value;
  return (
    resultOf === of.callId && name === of.name && typeof path === 'string' && paths.includes(path)
  );
}

function isSame(
  some: readonly PropertyDefinition[],
  others: readonly PropertyDefinition[],
): boolean {
  if (some === others) return true;
  return some.length === others.length && some.every((property, at) => property === others[at]);
}
