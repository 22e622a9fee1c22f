import { formatNamed } from '../../capability/formats/index.js';
import { BOUNDS } from '../bounds.js';
import { items, member } from '../located.js';
import type { PropertyView } from '../property-view.js';
import { listed } from './rule.js';

/** Returns why no ordered index can hold the property's values, or undefined where one can. */
export function whyNotIndexed(property: PropertyView): string | undefined {
  const { kind, access, name } = property;
  if (kind === 'json') return `"${name}" is a list or an object, which has no order`;
  if (access === 'secret') return `"${name}" is secret: its stored form has no order`;
  if (kind !== 'string') return undefined;
  const length = longest(property);
  return length <= BOUNDS.indexedLength
    ? undefined
    : `"${name}" may have ${length} code points, an index takes ${BOUNDS.indexedLength}: give ` +
        `it maxLength: ${BOUNDS.indexedLength} or less`;
}

/** A value's length, its alignment, and as much for a value of any other kind. */
const OVERHEAD = 8;
/** An id. */
const ID_OCTETS = 64;

/**
 * Returns why no ordered index can hold an entry of all of these, each of which may be in one by
 * itself.
 */
export function whyNotTogether(properties: readonly PropertyView[]): string | undefined {
  const octets = properties.reduce((sum, property) => {
    // The length of a format counts octets, and its long texts are ASCII.
    const octets = (property.format === undefined ? 4 : 1) * longest(property);
    const text = Math.max(octets, ID_OCTETS);
    return sum + OVERHEAD + (property.kind === 'string' ? text : 0);
  }, 0);
  return octets <= BOUNDS.indexedOctets
    ? undefined
    : `${listed(properties.map(({ name }) => `"${name}"`))} may have ${octets} octets ` +
        `together, an entry of an index takes ${BOUNDS.indexedOctets} (a code point counts as ` +
        'four): give them a smaller maxLength';
}

/** Returns how many code points a value may have; 0 for ids and whatever is no text: all short. */
export function longest({ kind, node, format, blob, role, references }: PropertyView): number {
  if (kind !== 'string' || blob || role !== undefined || references.length > 0) return 0;
  const known = formatNamed(format);
  if (format !== undefined && known?.length !== null) return known?.length ?? 0;
  const values = member(node, 'enum');
  if (values !== undefined)
    return items(values).reduce((most, { value }) => Math.max(most, codePoints(value)), 0);
  const constant = member(node, 'const');
  if (constant !== undefined) return codePoints(constant.value);
  const length = member(node, 'maxLength')?.value;
  return typeof length === 'number' ? length : BOUNDS.stringLength;
}

/** Counts the code points of a text; 0 for any other value, about which another rule tells. */
function codePoints(value: unknown): number {
  return typeof value === 'string' ? [...value].length : 0;
}
