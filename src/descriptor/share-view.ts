import { type Located, type Member, member, members } from './located.js';
import { type NameView, nameOf } from './name-view.js';

/** The sharing of a type's objects, as declared. */
export interface ShareView extends Member {
  /** The rights by name, with their descriptions. */
  readonly rights: readonly Member[];
  readonly read: NameView | undefined;
  readonly destroy: NameView | undefined;
  /** `owner` or `everyone`. */
  readonly create: NameView | undefined;
  readonly update: readonly SharedUpdateView[];
}

/** The right that a change of a property needs. */
export interface SharedUpdateView {
  /** Undefined where the right is for all properties. */
  readonly property: NameView | undefined;
  readonly right: NameView;
}

/** Stands for all properties that have no line of their own. */
export const OTHERS = '*';

/** Returns what a type says of sharing; undefined where it says nothing. */
export function viewShare(type: Located): ShareView | undefined {
  const share = type.members?.get('share');
  if (share === undefined) return undefined;
  const named = (key: string) => nameOf(member(share.node, key));
  return {
    ...share,
    rights: members(member(share.node, 'rights')),
    read: named('read'),
    destroy: named('destroy'),
    create: named('create'),
    update: viewUpdate(member(share.node, 'update')),
  };
}

function viewUpdate(node: Located | undefined): readonly SharedUpdateView[] {
  const one = nameOf(node);
  if (one !== undefined) return [{ property: undefined, right: one }];
  return members(node).flatMap(({ name, nameAt, node: given }) => {
    const right = nameOf(given);
    return right === undefined ? [] : [{ property: { name, at: nameAt }, right }];
  });
}
