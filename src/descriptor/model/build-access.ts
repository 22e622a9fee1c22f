import type { AccessRule, AccessSubject } from '../../capability/access-rules.js';
import { CREATOR } from '../../capability/creator.js';
import { type AccessView, roleOf } from '../access-view.js';
import { buildCondition } from '../condition-view.js';
import { text } from '../located.js';
import type { ModelProperty } from '../model.js';
import type { TypeView } from '../view.js';

/** Returns the access rules of a type, as the engine judges them; undefined if it has none. */
export function buildAccess(type: TypeView): readonly AccessRule[] | undefined {
  if (type.access.length === 0) return undefined;
  return type.access.map((rule) => ({
    who: buildSubject(rule, type),
    ...(rule.where.length === 0 ? {} : { where: rule.where.map(buildCondition) }),
    ...operationsOf(rule),
  }));
}

function operationsOf({ allowed }: AccessView): Omit<AccessRule, 'who' | 'where'> {
  return Object.fromEntries(
    allowed.map(({ operation, properties }) => [
      operation,
      properties?.map(({ name }) => name) ?? true,
    ]),
  );
}

function buildSubject(rule: AccessView, type: TypeView): AccessSubject {
  const role = roleOf(rule);
  if (role !== undefined) return { kind: 'role', role };
  const of = text(rule.of?.node) ?? '';
  switch (rule.who?.name) {
    case 'everyone':
      return { kind: 'everyone' };
    case 'creator':
      return { kind: 'property', property: CREATOR };
    case 'property':
      return { kind: 'property', property: of };
    case 'parent':
      return { kind: 'parent', reference: of, type: parentOf(type, of) };
    default:
      return { kind: 'owner' };
  }
}

/** Returns the type that a property refers to. */
function parentOf({ properties }: TypeView, name: string): string {
  const property = properties.find((one) => one.name === name);
  const target = property?.references[0]?.target.name;
  if (target === undefined)
    throw new Error(`The rules let "${name}" pass, which refers to nothing.`);
  return target;
}

/** Returns the property with the creator of each object, where a rule of the type is about it. */
export function creatorOf({ access, nameAt }: TypeView): readonly ModelProperty[] {
  if (!access.some(({ who }) => who?.name === 'creator')) return [];
  return [
    {
      name: CREATOR,
      column: CREATOR,
      kind: 'string',
      nullable: true,
      required: false,
      access: 'internal',
      role: 'creator',
      format: 'id',
      blobs: [],
      texts: [],
      references: [],
      description: 'The id of the user who created the object; null where that was a hook.',
      schema: { type: ['string', 'null'], format: 'id' },
      at: nameAt,
    },
  ];
}
