import type { JSONSchema7 } from 'json-schema';
import type { RuleCondition } from '../../../src/capability/definition.js';
import { meetsConditions } from '../../../src/capability/rule-conditions.js';
import type { ModelProperty } from '../../../src/descriptor/model.js';
import { type Json, type JsonMap, same } from '../client/json.js';
import { findRead, type Made } from './aggregates.js';
import { isUnique } from './described.js';
import { buildLeast } from './least.js';
import type { Subject } from './subject.js';
import { listSchemaValues, toSchema } from './values.js';

/** Updates of an object after which an aggregate of it may be another. */

/** Values of a property that is read, which an object has one after the other. */
const MOST = 3;

/** Returns patches, to be sent one after the other, that change what the aggregate reads. */
export function listPartChanges(made: Made, child: Subject, part: JsonMap): readonly JsonMap[] {
  const read = findRead(made, child.described);
  const values = read === null ? [] : listOthers(child, read, part);
  const flips = (made.computed.where ?? []).flatMap((one) => listFlips(child, one, part));
  return [...values.map((value) => ({ [read?.name ?? '']: value })), ...flips];
}

/** Tells whether clients may give the property any of its values at any time. */
const isFree = ({ described }: Subject, property: ModelProperty): boolean =>
  property.access === 'mutable' &&
  property.references.length === 0 &&
  property.blobs.length === 0 &&
  !isUnique(described, property);

/** Lists other values of the property that is added or compared, and then the one that it has. */
function listOthers(child: Subject, property: ModelProperty, part: JsonMap): readonly Json[] {
  if (!isFree(child, property)) return [];
  const now = part[property.name] ?? null;
  const others = child.listGood(property).filter((one) => one !== null && !same(one, now));
  return others.length === 0 ? [] : [...others.slice(0, MOST), now];
}

/** Returns a patch after which the condition holds no more, or does for once, and its reverse. */
function listFlips(child: Subject, condition: RuleCondition, part: JsonMap): readonly JsonMap[] {
  const { property: name, path = [] } = condition;
  const property = child.described.properties.find((one) => one.name === name);
  if (property === undefined || !isFree(child, property)) return [];
  const { schema } = property;
  const around = (): readonly Json[] => [
    ...(path.length === 0 ? [] : [buildLeast(schema)]),
    ...listSchemaValues(findAt(schema, path)).good.map((one) => buildAt(schema, path, one)),
  ];
  const now = meetsConditions([condition], part);
  const other = (child.isSampled(property) ? child.listGood(property) : around()).find(
    (one) => meetsConditions([condition], { [name]: one }) !== now,
  );
  return other === undefined ? [] : [{ [name]: other }, { [name]: part[name] ?? null }];
}

/** Finds the schema of a member of a schema's values. */
const findMember = ({ properties, additionalProperties }: JSONSchema7, name: string): JSONSchema7 =>
  toSchema(properties?.[name] ?? additionalProperties);

const findAt = (schema: JSONSchema7, path: readonly string[]): JSONSchema7 =>
  path.reduce(findMember, schema);

/** Builds the least value of a schema that has this one at a path. */
function buildAt(schema: JSONSchema7, path: readonly string[], value: Json): Json {
  const [name, ...further] = path;
  if (name === undefined) return value;
  const least = buildLeast({ ...schema, type: 'object' }) as JsonMap;
  return { ...least, [name]: buildAt(findMember(schema, name), further, value) };
}
