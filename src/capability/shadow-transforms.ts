import type { Steps } from '../runtime/paused-work.js';
import { casemapKey, casemapSteps, fold, foldSteps } from '../text/index.js';
import type {
  PropertyDefinition,
  PropertyKind,
  ShadowColumn,
  ShadowForm,
  ShadowTransform,
  SortDefinition,
  TextTransform,
} from './definition.js';
import { FORMATS, type Format, type SortKey } from './formats/index.js';

/** The name and the kind of a shadow column. */
export interface ShadowRow {
  /** The end of the column's name: `title_folded`. */
  readonly suffix: string;
  readonly kind: 'string' | 'integer';
}

/** A shadow column that is made of a text. */
export interface TransformRow extends ShadowRow {
  /** Returns the column's value for a text of the property. */
  readonly make: (text: string) => string | number;
  /** Returns the same of a long text, in steps; null where no text is long. */
  readonly steps: ((text: string) => Steps<string>) | null;
}

/** Everything that is made of a text. The SQL function `jmap_NAME` makes the same. */
export const SHADOW_TRANSFORMS: Readonly<Record<TextTransform, TransformRow>> = Object.freeze({
  fold: { suffix: 'folded', kind: 'string', make: fold, steps: foldSteps },
  casemap: { suffix: 'casemap', kind: 'string', make: casemapKey, steps: casemapSteps },
  ...sortKeyRows(),
});

export const TRANSFORM_NAMES = Object.freeze(
  Object.keys(SHADOW_TRANSFORMS),
) as readonly TextTransform[];

/** The row of a shadow column that isn't made of a text: its kind may be the property's own. */
interface OtherRow {
  readonly suffix: string;
  readonly kind: 'integer' | null;
}

/** Every shadow column: those of texts, the mark of a null, and a part's own value. */
export const SHADOW_COLUMNS: Readonly<Record<ShadowTransform, ShadowRow | OtherRow>> =
  Object.freeze({
    ...SHADOW_TRANSFORMS,
    null: { suffix: 'null', kind: 'integer' },
    own: { suffix: 'own', kind: null },
  });

export const SHADOW_NAMES = Object.freeze(
  Object.keys(SHADOW_COLUMNS),
) as readonly ShadowTransform[];

/** The ends of the names of shadow columns. A list of values has one of its own for each. */
export const SHADOW_SUFFIXES: readonly string[] = Object.freeze(
  Object.values(SHADOW_COLUMNS).flatMap(({ suffix }) => [suffix, `${suffix}_list`]),
);

/** Returns whether the column holds the property's values as they are, and no key of them. */
export function holdsOwn({ column }: Pick<PropertyDefinition, 'column'>, read: string): boolean {
  return read === column || read === `${column}_${SHADOW_COLUMNS.own.suffix}_list`;
}

/** Returns the column that a sort orders by: the key of its own, the collation key, or neither. */
export function sortColumn({ column, casemapColumn, property }: Sorted): string {
  return column ?? casemapColumn ?? property.column;
}

type Sorted = Pick<SortDefinition, 'column' | 'casemapColumn'> & {
  readonly property: Pick<PropertyDefinition, 'column'>;
};

/** Returns the kind of the values in a shadow column that is a list. */
export function itemKind({ property, transform }: Omit<ShadowColumn, 'form'>): PropertyKind {
  return shadowKind({ property, transform });
}

/** Returns the kind of a shadow column. */
export function shadowKind({
  property,
  transform,
  form,
}: {
  readonly property: Pick<PropertyDefinition, 'kind'>;
  readonly transform: ShadowTransform;
  readonly form?: ShadowForm;
}): PropertyKind {
  return form === undefined ? (SHADOW_COLUMNS[transform].kind ?? property.kind) : 'string';
}

/** Returns the name of the SQL function by which migrations on SQLite fill such a column. */
export function sqlFunction(transform: TextTransform): string {
  return `jmap_${transform}`;
}

type SortKeyRows = Readonly<Record<Exclude<TextTransform, 'fold' | 'casemap'>, TransformRow>>;

/** Returns a row for the keys of each format that has an order of its own. */
function sortKeyRows(): SortKeyRows {
  const orders = Object.values<Format>(FORMATS).map(({ order }) => order);
  const keys = orders.filter((order) => typeof order !== 'string');
  return Object.fromEntries(keys.map((key) => [key.name, sortKeyRow(key)])) as SortKeyRows;
}

function sortKeyRow({ name, kind, of }: SortKey): TransformRow {
  // A text from before the property had the format stands in front of all that are legal.
  const least = kind === 'integer' ? Number.MIN_SAFE_INTEGER : '';
  return { suffix: name, kind, make: (text) => of(text) ?? least, steps: null };
}
