import type { AccountAccess, Principal } from '../accounts/principal.js';
import type {
  AnsweredDefinition,
  DataTypeDefinition,
  PropertyDefinition,
} from '../capability/definition.js';
import { deriveOnce } from '../runtime/derive-once.js';
import { scopesWithoutShares } from './views.js';

/**
 * Returns the type as a user knows it in an account: properties that the user may not read are
 * internal. No filter, sort or computed answer shows their values.
 */
export function knownTypeIn(
  account: AccountAccess,
  { roles }: Pick<Principal, 'roles'>,
  type: DataTypeDefinition,
): DataTypeDefinition {
  const restricted = restrictedOf(type);
  if (account.isPersonal || restricted.length === 0) return type;
  const held = new Set(scopesWithoutShares(account, roles));
  const hidden = restricted.filter(({ readable = [] }) => !readable.some((one) => held.has(one)));
  return hidden.length === 0 ? type : withoutProperties(type, hidden);
}

/** Returns the properties of a type that some users may not read. */
export const restrictedOf = deriveOnce(({ properties }: DataTypeDefinition) =>
  properties.filter(({ readable }) => readable !== undefined),
);

/** The variants of a type that were made so far, by the names of what they hide. */
const variants = deriveOnce((_: DataTypeDefinition) => new Map<string, DataTypeDefinition>());

function withoutProperties(
  type: DataTypeDefinition,
  hidden: readonly PropertyDefinition[],
): DataTypeDefinition {
  const known = variants(type);
  const key = hidden.map(({ name }) => name).join(' ');
  const made = known.get(key) ?? hide(type, new Set(hidden));
  known.set(key, made);
  return made;
}

function hide(
  type: DataTypeDefinition,
  hidden: ReadonlySet<PropertyDefinition>,
): DataTypeDefinition {
  const names = new Set(Array.from(hidden, ({ name }) => name));
  const isHidden = ({ name, within }: PropertyDefinition): boolean =>
    names.has(within?.property ?? name);
  const shadows = type.shadows.filter(({ property }) => isHidden(property));
  const columns = new Set([
    ...Array.from(hidden, ({ column }) => column),
    ...shadows.map(({ column }) => column),
  ]);
  const isShown = (property: PropertyDefinition, read: readonly (string | undefined)[]): boolean =>
    !isHidden(property) && read.every((column) => column === undefined || !columns.has(column));
  const { collapse, tree } = type.query ?? {};
  const follows = ({ sources }: AnsweredDefinition): boolean => sources.some(isHidden);
  const answered = type.answered?.filter((one) => !follows(one));
  const following = (type.answered ?? []).filter(follows).map(({ name }) => name);
  return Object.freeze({
    ...type,
    hidden: new Set([...names, ...following]),
    properties: type.properties.map((property) =>
      hidden.has(property) ? { ...property, access: 'internal' as const } : property,
    ),
    filters: type.filters.filter(({ property, column, columns: all = [] }) =>
      isShown(property, [column, ...all]),
    ),
    sorts: type.sorts.filter(({ property, column, casemapColumn }) =>
      isShown(property, [column, casemapColumn]),
    ),
    ...(answered === undefined ? {} : { answered }),
    ...(type.query === undefined
      ? {}
      : {
          query: {
            ...(collapse === undefined || isHidden(collapse.by) ? {} : { collapse }),
            ...(tree === undefined || isHidden(tree.by) ? {} : { tree }),
          },
        }),
  });
}
