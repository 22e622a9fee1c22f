import type { PropertyDefinition } from '../../capability/definition.js';
import { formatOf } from '../../capability/formats/index.js';
import { formatUtcDate } from '../../protocol/dates.js';
import {
  declaredObject,
  emptyObject,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/json.js';
import type { StoredObject } from '../../store/port.js';
import { isVisible, type TypeIndex } from '../type-index.js';
import { type Birth, defaultOf } from './create.js';
import { isServerSet } from './draft.js';

/*
 * Most creates are plain: values that are stored as they came, of a type where each object is judged for itself.
 * What they come to is made in one pass over each object: its row, and the text of its report. The pass
 * never refuses: what it doesn't say yes to goes the way of `SetRun`, whose outcome this one's must equal.
 */

/** What a new object has in a property, and what its report says of that. */
interface PlainProperty {
  readonly name: string;
  readonly source: 'id' | 'time' | 'given' | 'default';
  readonly fallback: JsonValue;
  /** Of those that clients may give and see, one bit each. */
  readonly bit: number;
}

/** A type whose creates may be plain. */
export interface PlainType {
  readonly index: TypeIndex;
  readonly properties: readonly PlainProperty[];
  readonly given: ReadonlyMap<string, PropertyDefinition>;
}

/** Bits of a number that adding keeps apart. */
const MAX_BITS = 50;

const known = new WeakMap<TypeIndex, PlainType | null>();

/** Null for a type with rules that an object alone can't be judged by. */
export function plainType(index: TypeIndex): PlainType | null {
  let plain = known.get(index);
  if (plain === undefined) {
    plain = isPlainType(index) ? describe(index) : null;
    known.set(index, plain);
  }
  return plain;
}

function isPlainType(index: TypeIndex): boolean {
  const { type, secrets, judges } = index;
  return (
    type.singleton !== true &&
    !judges &&
    secrets.length === 0 &&
    type.properties.length <= MAX_BITS &&
    // What is read of a parsed object by such a name may be its prototype's.
    type.properties.every(
      ({ name, computed }) =>
        !(name in Object.prototype) && (computed === undefined || computed.kind === 'count'),
    )
  );
}

function describe(index: TypeIndex): PlainType {
  const { type } = index;
  return Object.freeze({
    index,
    properties: type.properties.map((property, at): PlainProperty => {
      const { name } = property;
      const bit = isVisible(property) ? 2 ** at : 0;
      return { name, source: sourceOf(property), fallback: defaultOf(property), bit };
    }),
    given: new Map([...index.properties].filter(([, property]) => sourceOf(property) === 'given')),
  });
}

function sourceOf(property: PropertyDefinition): PlainProperty['source'] {
  if (property.role !== undefined) return property.role === 'id' ? 'id' : 'time';
  return isServerSet(property) || property.computed !== undefined ? 'default' : 'given';
}

/** Whether an entry of `create` is legal, and stored as it came. False says nothing about why. */
export function isPlain({ index, given }: PlainType, value: JsonValue): value is JsonObject {
  if (!isJsonObject(value)) return false;
  for (const name in value) {
    const property = given.get(name);
    const one = value[name];
    if (property === undefined || one === undefined || !isPlainValue(property, one)) return false;
  }
  for (const name of index.required) if (value[name] === undefined) return false;
  // It writes into arrays and objects alone, which there are none of.
  return index.type.validate.update(value);
}

/** See canonicalSteps. */
function isPlainValue(property: PropertyDefinition, value: JsonValue): boolean {
  if (typeof value === 'string') {
    if (property.kind === 'json') return false;
    const format = formatOf(property);
    return format?.canonical === undefined || format.isCanonical(value);
  }
  return typeof value === 'object' ? value === null : !Object.is(value, -0);
}

/** New objects and, of each, what its client can't know (`creationReport`). */
export class PlainBatch {
  readonly objects: StoredObject[] = [];
  readonly records: { readonly objectId: string; readonly kind: 'created' }[] = [];
  readonly createdIds: [creationId: string, id: string][] = [];
  readonly #type: PlainType;
  /** Of each object the bits of what its report has. */
  readonly #reported: number[] = [];
  #text = '';
  /** What stands around the id in the last report: most reports of a call differ in nothing else. */
  #around: Around | null = null;
  #created: Readonly<Record<string, JsonObject>> | null = null;

  constructor(type: PlainType) {
    this.#type = type;
  }

  add(key: string, given: JsonObject, { id, time }: Birth): void {
    const born = formatUtcDate(time);
    const object = declaredObject();
    let reported = 0;
    for (const { name, source, fallback, bit } of this.#type.properties) {
      if (source === 'given') {
        const value = given[name];
        const stored = value ?? fallback;
        object[name] = stored;
        if (value !== stored) reported += bit;
      } else {
        object[name] = source === 'id' ? id : source === 'time' ? born : fallback;
        reported += bit;
      }
    }
    this.objects.push(object as StoredObject);
    this.records.push({ objectId: id, kind: 'created' });
    this.createdIds.push([key, id]);
    this.#reported.push(reported);
    const { before, after } = this.#aroundId(reported, born);
    // Both are Ids: there is nothing to escape.
    this.#text += this.#text === '' ? `"${key}":` : `,"${key}":`;
    this.#text += before + id + after;
  }

  /** The reports as JSON. */
  get text(): string {
    return `{${this.#text}}`;
  }

  /** The same as objects, which few ask for. */
  get created(): Readonly<Record<string, JsonObject>> {
    this.#created ??= this.#reports();
    return this.#created;
  }

  #reports(): Readonly<Record<string, JsonObject>> {
    const created = emptyObject<JsonObject>();
    for (const [at, [key]] of this.createdIds.entries()) {
      const object = this.objects[at];
      const report = declaredObject();
      for (const { name } of this.#shown(this.#reported[at] ?? 0)) {
        report[name] = object?.[name] ?? null;
      }
      created[key] = report;
    }
    return created;
  }

  #shown(reported: number): readonly PlainProperty[] {
    // Numbers, since there are more bits than an integer of V8 has.
    return this.#type.properties.filter(
      ({ bit }) => bit > 0 && Math.floor(reported / bit) % 2 === 1,
    );
  }

  #aroundId(reported: number, born: string): Around {
    if (this.#around?.reported === reported && this.#around.born === born) return this.#around;
    let text = '';
    let before = '';
    for (const { name, source, fallback } of this.#shown(reported)) {
      text += `${text === '' ? '{' : ','}${JSON.stringify(name)}:`;
      if (source === 'id') {
        before = `${text}"`;
        text = '"';
      } else text += JSON.stringify(source === 'time' ? born : fallback);
    }
    this.#around = { reported, born, before, after: `${text}}` };
    return this.#around;
  }
}

interface Around {
  readonly reported: number;
  readonly born: string;
  readonly before: string;
  readonly after: string;
}
