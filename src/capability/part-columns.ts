import { parseUtcDate } from '../protocol/dates.js';
import type { JsonValue } from '../protocol/json.js';
import { finish, type Steps } from '../runtime/paused-work.js';
import type { PropertyKind, ShadowForm, ShadowTransform } from './definition.js';
import { type Part, partSteps, type Scalar, SEPARATOR } from './parts.js';
import { SHADOW_TRANSFORMS } from './shadow-transforms.js';

/** The SQL function by which migrations on SQLite fill the columns of parts. */
export const PART_FUNCTION = 'jmap_part';

/** A column of a part, and how it is made. Migrations carry it as JSON. */
export interface PartColumn extends Pick<Part, 'place' | 'where'> {
  /** The kind of the values at the place. */
  readonly kind: PropertyKind;
  readonly transform: Exclude<ShadowTransform, 'null'>;
  readonly form?: ShadowForm;
}

/** Returns what a shadow column holds of a part; null if it is none of a part's. */
export function partColumnOf({ property, transform, form }: Shadow): PartColumn | null {
  const { within, kind } = property;
  if (within === undefined || transform === 'null') return null;
  const { place, where } = within;
  return {
    place,
    ...(where === undefined ? {} : { where }),
    kind,
    transform,
    ...(form === undefined ? {} : { form }),
  };
}

/** The parts of a shadow column that tell how it is filled. */
interface Shadow {
  readonly property: { readonly kind: PropertyKind; readonly within?: Part };
  readonly transform: ShadowTransform;
  readonly form?: ShadowForm;
}

/** Returns the column's value for a value of the property. */
export function partValue(column: PartColumn, value: JsonValue): Scalar | null {
  return finish(partValueSteps(column, value));
}

/** Returns the same with pauses, for values that may be large. */
export function* partValueSteps(column: PartColumn, value: JsonValue): Steps<Scalar | null> {
  const { kind, form } = column;
  const found = yield* partSteps(column, value);
  const fitting = found.filter((each) => FITS[kind](each));
  const read = form === undefined ? fitting.slice(0, 1) : fitting;
  const made: Scalar[] = [];
  for (const each of read) {
    const one = yield* makeSteps(column, each);
    if (one !== null) made.push(one);
  }
  if (form === undefined) return made[0] ?? null;
  if (made.length === 0) return null;
  return form === 'list' ? JSON.stringify(made) : `${SEPARATOR}${made.join(SEPARATOR)}${SEPARATOR}`;
}

function* makeSteps({ kind, transform }: PartColumn, value: Scalar): Steps<Scalar | null> {
  if (transform === 'own') return kind === 'date' ? parseUtcDate(String(value)) : value;
  const { make, steps } = SHADOW_TRANSFORMS[transform];
  const text = String(value);
  return steps === null ? make(text) : yield* steps(text);
}

const isText = (value: Scalar): boolean => typeof value === 'string';

/** Values that don't fit the declared kind are none: an older schema may have allowed them. */
const FITS: Readonly<Record<PropertyKind, (value: Scalar) => boolean>> = Object.freeze({
  string: isText,
  date: (value) => isText(value) && parseUtcDate(String(value)) !== null,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isSafeInteger,
  number: (value) => typeof value === 'number',
  json: () => false,
});
