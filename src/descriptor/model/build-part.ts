import type { PropertyKind, StringFormat } from '../../capability/definition.js';
import { formatNamed } from '../../capability/formats/index.js';
import { isManifold, type Part } from '../../capability/parts.js';
import { canonicalJson } from '../../protocol/canonical-json.js';
import type { JsonValue } from '../../protocol/json.js';
import type { ModelProperty } from '../model.js';
import type { OperandView } from '../part-view.js';
import { columnStem } from './column-names.js';
import { sha256 } from './hash.js';
import { buildSchema } from './property-schema.js';
import { normalizationsOf } from './text-rules.js';

/** The model of a part of a property. A column beside the property's own holds its first value. */
export interface ModelPart extends ModelProperty {
  readonly within: Part;
}

const HASH_LENGTH = 12;

/** Returns the model of a part, which the rules have judged; null for a property as a whole. */
export function buildPart(view: OperandView, root: ModelProperty): ModelPart | null {
  const { part, name, node, kind, format } = view;
  if (part === undefined) return null;
  const { place, where } = part;
  const within = { property: root.name, place, ...(where === undefined ? {} : { where }) };
  const schema = kind === 'json' ? {} : buildSchema(node, 'stored');
  const isFormat = kind === 'string' && formatNamed(format) !== undefined;
  const normalize = kind === 'string' ? normalizationsOf(schema) : undefined;
  return {
    name,
    column: partColumn(root.column, within, kind as PropertyKind),
    kind: kind as PropertyKind,
    nullable: !isManifold(place),
    required: false,
    access: root.access,
    blobs: [],
    ...(isFormat ? { format: format as StringFormat } : {}),
    ...(normalize === undefined ? {} : { normalize }),
    texts: [],
    references: [],
    description: '',
    schema,
    at: root.at,
    within,
  };
}

/**
 * Returns the column of a part, from the column of its property. Another kind has another column: a
 * migration fills that from the property, without the values that no longer fit.
 */
export function partColumn(
  column: string,
  { place, where }: Pick<Part, 'place' | 'where'>,
  kind: PropertyKind,
): string {
  const stem = columnStem(column);
  // Columns of other properties may begin alike.
  const whole = stem === column ? [] : [column];
  const identity = [kind, place, where ?? null, ...whole];
  const hash = sha256(canonicalJson(identity as unknown as JsonValue));
  return `${stem}_at_${hash.slice(0, HASH_LENGTH)}_part`;
}

/** Returns whether the property is a part of one. */
export function isPart(property: ModelProperty): property is ModelPart {
  return property.within !== undefined;
}
