import { BOUNDS } from '../descriptor/bounds.js';
import type { PropertyView } from '../descriptor/property-view.js';
import { member } from '../load/located.js';

/** Why no ordered index can hold the property's values, or undefined where one can. */
export function whyNotIndexed(property: PropertyView): string | undefined {
  const { kind, access, name } = property;
  if (kind === 'json') return `"${name}" is a list or an object, which has no order`;
  if (access === 'secret') return `"${name}" is secret: what is stored of it has no order`;
  if (kind !== 'string') return undefined;
  const length = longest(property);
  return length <= BOUNDS.indexedLength
    ? undefined
    : `"${name}" may have ${length} code points, an index takes ${BOUNDS.indexedLength}: give ` +
        `it maxLength: ${BOUNDS.indexedLength} or less`;
}

function longest({ node, format, blob, role, reference }: PropertyView): number {
  if (format !== undefined || blob || role !== undefined || reference !== undefined) return 0;
  if (member(node, 'enum') !== undefined) return 0;
  const length = member(node, 'maxLength')?.value;
  return typeof length === 'number' ? length : BOUNDS.stringLength;
}
