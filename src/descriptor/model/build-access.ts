import type { AccessRule, AccessSubject } from '../../capability/access-rules.js';
import { CREATOR } from '../../capability/creator.js';
import { type AccessView, type AllowedView, roleOf } from '../access-view.js';
import { buildCondition } from '../condition-view.js';
import { text } from '../located.js';
import type { ModelProperty } from '../model.js';
import type { TypeView } from '../view.js';
import { changesOf, rulesOfShare } from './build-share.js';

/** Returns the access rules of a type, as the engine judges them; undefined if it has none. */
export function buildAccess(type: TypeView): readonly AccessRule[] | undefined {
  const rules = [...rulesOfShare(type), ...type.access.flatMap((rule) => rulesOf(rule, type))];
  return rules.length === 0 ? undefined : rules;
}

/** Returns a rule; of one that names rights of its parent, a rule for each of them. */
function rulesOf(rule: AccessView, type: TypeView): readonly AccessRule[] {
  const { where, allowed } = rule;
  const who = buildSubject(rule, type);
  // To leave an object is a way to change it.
  const update = allowed.find(({ operation }) => operation === 'update')?.right;
  const rightOf = ({ operation, right }: AllowedView): string | undefined =>
    (operation === 'leave' ? update : right)?.name;
  const rights = new Set(allowed.map(rightOf));
  return [...rights].map((right) => ({
    who: who.kind === 'parent' && right !== undefined ? { ...who, right } : who,
    ...(where.length === 0 ? {} : { where: where.map(buildCondition) }),
    ...operationsOf(
      allowed.filter((each) => rightOf(each) === right),
      type,
    ),
  }));
}

function operationsOf(
  allowed: readonly AllowedView[],
  type: TypeView,
): Omit<AccessRule, 'who' | 'where'> {
  const parts = allowed.map(({ operation, properties }) => {
    const names = properties?.map(({ name }) => name) ?? true;
    return operation === 'update' ? changesOf(type, names) : { [operation]: true };
  });
  return Object.assign({}, ...parts) as Omit<AccessRule, 'who' | 'where'>;
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
