import type { Steps } from '../runtime/slices.js';
import { casemapKey, casemapSteps, fold, foldSteps } from '../text/index.js';
import type { ShadowTransform, TextTransform } from './definition.js';
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

/** Every shadow column: those of texts, and the mark of a null. */
export const SHADOW_COLUMNS: Readonly<Record<ShadowTransform, ShadowRow>> = Object.freeze({
  ...SHADOW_TRANSFORMS,
  null: { suffix: 'null', kind: 'integer' },
});

export const SHADOW_NAMES = Object.freeze(
  Object.keys(SHADOW_COLUMNS),
) as readonly ShadowTransform[];

export const SHADOW_SUFFIXES: readonly string[] = Object.freeze(
  Object.values(SHADOW_COLUMNS).map(({ suffix }) => suffix),
);

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
