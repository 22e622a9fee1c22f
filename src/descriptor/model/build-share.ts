import type { JSONSchema7 } from 'json-schema';
import type { AccessRule } from '../../capability/access-rules.js';
import type { ShareDefinition } from '../../capability/definition.js';
import { IS_SUBSCRIBED } from '../../capability/principal-names.js';
import { MAX_PRINCIPALS } from '../../capability/share-bounds.js';
import { text } from '../located.js';
import type { ModelProperty } from '../model.js';
import { OTHERS, type SharedUpdateView, type ShareView } from '../share-view.js';
import type { TypeView } from '../view.js';
import { isWrittenByClients } from './access.js';

/** The properties of a shared type beside its own (RFC 9670 4). */
export const SHARE_WITH = 'shareWith';
export const MY_RIGHTS = 'myRights';
export const SHARE_NAMES: readonly string[] = [SHARE_WITH, MY_RIGHTS, IS_SUBSCRIBED];

/** Returns the names of the rights; undefined where a type's objects can't be shared. */
export function buildShare({ share }: TypeView): ShareDefinition | undefined {
  return share && { rights: share.rights.map(({ name }) => name) };
}

/** Returns the rules that follow from sharing: those of the owner, and one for each right. */
export function rulesOfShare(type: TypeView): readonly AccessRule[] {
  const { share } = type;
  if (share === undefined) return [];
  const { rights, read, destroy, create } = share;
  const owner: AccessRule = {
    who: { kind: 'owner' },
    ...{ read: true, create: true, update: true, destroy: true, share: true },
  };
  const everyone: readonly AccessRule[] =
    create?.name === 'everyone' ? [{ who: { kind: 'everyone' }, create: true }] : [];
  const shared = rights.flatMap(({ name: right }): AccessRule[] => {
    const rule = {
      ...(read?.name === right ? { read: true as const } : {}),
      ...changesOf(type, updateOf(type, share, right)),
      ...(coversUndeclared(type, share, right) ? { undeclared: true as const } : {}),
      ...(destroy?.name === right ? { destroy: true as const } : {}),
    };
    return Object.keys(rule).length === 0 ? [] : [{ who: { kind: 'share', right }, ...rule }];
  });
  return [owner, ...everyone, ...shared];
}

/** Returns what users may do who may change these properties: all of an object, or some. */
export function changesOf(
  { share }: TypeView,
  names: true | readonly string[] | undefined,
): Pick<AccessRule, 'update' | 'share'> {
  if (names === undefined || names === true) return names ? { update: true } : {};
  // A type that isn't shared may have a property of this name.
  const update = names.filter((name) => share === undefined || name !== SHARE_WITH);
  return {
    ...(update.length === 0 ? {} : { update }),
    ...(update.length === names.length ? {} : { share: true }),
  };
}

/** Returns the properties that a right lets users change; undefined for none. */
function updateOf(
  type: TypeView,
  { update }: ShareView,
  right: string,
): AccessRule['update'] | undefined {
  const own = update.filter((each) => each.right.name === right);
  if (own.some(({ property }) => property === undefined)) return true;
  const named = new Set(
    update.flatMap(({ property }) => property?.name ?? []).filter((name) => name !== OTHERS),
  );
  const others = [
    ...type.properties
      .filter((one) => !one.perUser && isWrittenByClients(one))
      .map(({ name }) => name),
    SHARE_WITH,
  ].filter((name) => !named.has(name));
  const names = own.flatMap(({ property }) =>
    property?.name === OTHERS ? others : (property?.name ?? []),
  );
  return names.length === 0 ? undefined : names;
}

/** Returns whether a right is for members that the type keeps without declaring them. */
function coversUndeclared(type: TypeView, { update }: ShareView, right: string): boolean {
  const isOthers = ({ property, right: named }: SharedUpdateView): boolean =>
    property?.name === OTHERS && named.name === right;
  return type.keepsUnknown && update.some(isOthers);
}

/** Returns the properties that a shared type has beside its own. */
export function propertiesOfShare({ share, nameAt }: TypeView): readonly ModelProperty[] {
  if (share === undefined) return [];
  const flags = Object.fromEntries(
    share.rights.map(({ name, node }): [string, JSONSchema7] => [
      name,
      { type: 'boolean', ...describedBy(text(node)) },
    ]),
  );
  const common = { kind: 'json', required: false, blobs: [], texts: [], references: [] } as const;
  return [
    {
      ...{ ...common, name: SHARE_WITH, column: SHARE_WITH, role: 'shareWith' },
      ...{ nullable: true, default: null, access: 'mutable' },
      description: 'The rights of others, by the ids of users; null: nobody has any by a share.',
      schema: {
        type: ['object', 'null'],
        propertyNames: { format: 'id' },
        maxProperties: MAX_PRINCIPALS,
        additionalProperties: { type: 'object', properties: flags, additionalProperties: false },
      },
      at: nameAt,
    },
    {
      ...{ ...common, name: MY_RIGHTS, column: MY_RIGHTS, role: 'myRights' },
      ...{ nullable: false, access: 'serverSet' },
      description: 'The rights of the user who asks.',
      schema: {
        type: 'object',
        properties: flags,
        required: share.rights.map(({ name }) => name),
        additionalProperties: false,
      },
      at: nameAt,
    },
    {
      ...{ ...common, kind: 'boolean', name: IS_SUBSCRIBED, column: IS_SUBSCRIBED },
      ...{ nullable: false, access: 'mutable', perUser: true, default: false, ownerDefault: true },
      description: 'Whether the user wants to see it beside its own. The owner does at first.',
      schema: { type: 'boolean' },
      at: nameAt,
    },
  ];
}

function describedBy(words: string | undefined): { description?: string } {
  const description = words?.trim() ?? '';
  return description === '' ? {} : { description };
}
