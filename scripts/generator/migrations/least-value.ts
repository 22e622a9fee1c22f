import type { JSONSchema7 } from 'json-schema';
import { formatNamed } from '../../../src/capability/formats/index.js';
import { singleReference } from '../../../src/capability/named-references.js';
import { branchesIn } from '../../../src/descriptor/branches.js';
import { createAjv } from '../../../src/descriptor/validation/ajv.js';
import { mainType, validationSchema } from '../../../src/descriptor/validation/schema.js';
import type { JsonValue } from '../../../src/protocol/json.js';
import type { SnapshotProperty } from './snapshot.js';

/**
 * Returns the least value that a property may have, as its own validator judges. It is null for the
 * id of an object or a blob and for a secret. So it is where no plain value is legal: for most
 * patterns, or for a list that needs items.
 */
export function leastValue(property: SnapshotProperty): JsonValue {
  const { blobs, secret, schema } = property;
  const isBlob = blobs.some((place) => place.length === 0);
  if (isBlob || secret !== undefined || singleReference(property) !== undefined) return null;
  const value = validationSchema(schema, 'stored');
  const isLegal = createAjv().compile({ type: 'object', properties: { value } });
  // The validator settles numbers in place: it gets a copy.
  const legal = candidates(property).find((one) => isLegal({ value: structuredClone(one) }));
  return legal ?? null;
}

/** Of texts that a pattern or a length asks for: so many characters. */
const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8];
const CHARACTERS = ['0', 'a', 'A'];
/** A longer text is no plain value: it would stand in the migration, and in every new row. */
const LONGEST = 1000;

/** Returns plain values to try, from the least on; those of an enum in its own order. */
function candidates({ kind, schema }: SnapshotProperty): readonly JsonValue[] {
  if (schema.enum !== undefined) return schema.enum as readonly JsonValue[];
  switch (kind) {
    case 'boolean':
      return [false, true];
    case 'integer':
    case 'number':
      return numbers(schema);
    case 'json':
      return jsonValues(schema);
    case 'string':
    case 'date':
      return texts(schema);
  }
}

function numbers({
  minimum = -Infinity,
  maximum = Infinity,
  multipleOf = 1,
}: JSONSchema7): readonly number[] {
  const first = Math.ceil(minimum / multipleOf) * multipleOf;
  const last = Math.floor(maximum / multipleOf) * multipleOf;
  return [0, first, last, minimum, maximum].filter(Number.isFinite);
}

function jsonValues(schema: JSONSchema7): readonly JsonValue[] {
  switch (mainType(schema)) {
    case 'array':
      return [[]];
    case 'object':
      return [
        {},
        ...branchesIn(schema).flatMap(({ step }) =>
          step.of.flatMap((value) => (value === null ? [] : [{ [step.branch]: value }])),
        ),
      ];
    default:
      return [{}, [], '', 0, false];
  }
}

function texts({ minLength = 0, format }: JSONSchema7): readonly string[] {
  const known = formatNamed(format);
  if (known !== undefined) return [known.numbered(0)];
  const lengths = [...new Set([minLength, ...LENGTHS])].filter(
    (length) => length > 0 && length <= LONGEST,
  );
  const filled = lengths.flatMap((length) => CHARACTERS.map((one) => one.repeat(length)));
  return ['', ...filled];
}
