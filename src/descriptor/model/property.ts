import type {
  OnDestroy,
  PropertyAccess,
  PropertyKind,
  ReferenceDefinition,
  StringFormat,
} from '../../capability/definition.js';
import { formatNamed } from '../../capability/formats/index.js';
import { OWNER, roleScope } from '../../capability/scopes.js';
import type { JsonValue } from '../../protocol/json.js';
import { flag, items, member, text, words } from '../located.js';
import type { ModelProperty } from '../model.js';
import { computedDefinition, type PropertyView, type ReferenceView } from '../property-view.js';
import { describeAggregate, type IsInternal } from './aggregate-words.js';
import { buildSchema } from './property-schema.js';
import { normalizationsOf, textRulesIn } from './text-rules.js';

/** Descriptions of the properties that every type has. */
const STANDARD_WORDS: Readonly<Record<string, string>> = {
  id: 'The id that the server gave the object.',
  created: 'When the object was created.',
  updated: 'When the object was last changed.',
};

/** The facts that a property's own text doesn't have. */
interface PropertyPlace {
  readonly required: boolean;
  readonly column: string;
  readonly isInternal: IsInternal;
}

/**
 * Returns the model of a declared property. One that is neither required nor optional has a
 * default, which may be null.
 */
export function buildProperty(
  view: PropertyView,
  { required, column, isInternal }: PropertyPlace,
): ModelProperty {
  const { aggregate } = view.computed ?? {};
  const constant = view.nullable ? undefined : member(view.node, 'const')?.value;
  const given = member(view.node, 'default')?.value ?? constant;
  const isFormat = view.kind === 'string' && formatNamed(view.format) !== undefined;
  const secret = text(member(view.node, 'stored')) ?? 'hash';
  const schema = buildSchema(view.node, 'stored');
  const normalize = view.kind === 'string' ? normalizationsOf(schema) : undefined;
  return {
    name: view.name,
    column,
    kind: view.kind as PropertyKind,
    nullable: view.nullable,
    required,
    ...(view.optional ? { optional: true as const } : {}),
    ...(required || view.optional || view.defaultNow
      ? {}
      : { default: (given ?? null) as JsonValue }),
    ...(view.defaultNow ? { defaultNow: true as const } : {}),
    access: view.access as PropertyAccess,
    blobs: view.blobs,
    ...(isFormat ? { format: view.format as StringFormat } : {}),
    ...(normalize === undefined ? {} : { normalize }),
    texts: textRulesIn(schema),
    references: view.references.map(buildReference),
    ...(view.computed === undefined ? {} : { computed: computedDefinition(view.computed) }),
    ...(view.access === 'secret' ? { secret: secret as 'hash' | 'encrypt' } : {}),
    ...(view.principal ? { principal: true as const } : {}),
    ...(flag(member(view.node, 'onRequest'), false) ? { onRequest: true as const } : {}),
    ...readersOf(view),
    ...(view.perUser ? { perUser: true as const } : {}),
    ...evolutionOf(view),
    description: words(view.node) || (aggregate ? describeAggregate(aggregate, isInternal) : ''),
    schema,
    at: view.nameAt,
  };
}

const OWNER_WORD = 'owner';

/** Returns the scopes of the users who may read a property, where not all may. */
function readersOf({ node }: PropertyView): { readable?: readonly string[] } {
  const words = items(member(node, 'readable')).flatMap((word) => text(word) ?? []);
  if (words.length === 0) return {};
  const role = (word: string): string => roleScope(word.slice(word.indexOf(':') + 1));
  return { readable: words.map((word) => (word === OWNER_WORD ? OWNER : role(word))) };
}

/** Returns `deprecated` and `renamedFrom` of a type or a property, as far as it has them. */
export function evolutionOf({ node }: Pick<PropertyView, 'node'>): {
  deprecated?: string;
  renamedFrom?: string;
} {
  const deprecated = text(member(node, 'deprecated'))?.trim();
  const renamedFrom = text(member(node, 'renamedFrom'));
  return {
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(renamedFrom === undefined ? {} : { renamedFrom }),
  };
}

/** Returns the definition of a reference; its target has been judged. */
function buildReference({
  target,
  place,
  onDestroy,
  error,
  acyclic,
  removable,
}: ReferenceView): ReferenceDefinition {
  return {
    type: target.name,
    place,
    onDestroy: onDestroy as OnDestroy,
    ...(error === undefined ? {} : { error: error.name }),
    acyclic,
    ...(removable ? { removable } : {}),
  };
}

/** Returns the model of `id`, `created` or `updated`: the server alone sets it. */
export function buildStandardProperty(view: PropertyView): ModelProperty {
  const kind = view.kind as PropertyKind;
  return {
    name: view.name,
    column: view.name,
    kind,
    nullable: false,
    required: false,
    access: 'serverSet',
    ...(view.role === undefined ? {} : { role: view.role }),
    blobs: [],
    texts: [],
    references: [],
    description: STANDARD_WORDS[view.name] ?? '',
    schema: { type: 'string', format: kind === 'date' ? 'utc-date' : 'id' },
    at: view.nameAt,
  };
}
