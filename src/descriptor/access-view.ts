import { type ConditionView, viewInnerConditions } from './condition-view.js';
import { flag, items, type Located, type Member, member } from './located.js';
import type { Location } from './model.js';
import { type NameView, nameOf, namesIn } from './name-view.js';

/** The operations that rules allow, in the order of the pages. */
export const OPERATIONS = ['read', 'create', 'update', 'destroy', 'leave'] as const;
export type AccessOperation = (typeof OPERATIONS)[number];

/** A rule of a type that says who may do what with its objects, as declared. */
export interface AccessView {
  readonly at: Location;
  /** Undefined where it is no text. */
  readonly who: NameView | undefined;
  /** The property that `who` is about. */
  readonly of: Member | undefined;
  readonly where: readonly ConditionView[];
  /** The operations that it allows. */
  readonly allowed: readonly AllowedView[];
}

/** An operation that a rule allows. */
export interface AllowedView {
  readonly operation: AccessOperation;
  readonly at: Location;
  /** Of `update`: the properties that it is about; undefined for all. */
  readonly properties?: readonly NameView[];
  /** Of a rule about parents: the right there that it takes. */
  readonly right?: NameView;
}

/** Reads the access rules of a type. A flag that is false is as one that is not there. */
export function viewAccess(type: Located): readonly AccessView[] {
  return items(member(type, 'access')).map((node) => ({
    at: node.at,
    who: nameOf(member(node, 'who')),
    of: node.members?.get('of'),
    where: viewInnerConditions(member(node, 'where')),
    allowed: OPERATIONS.flatMap((operation) => viewAllowed(node, operation)),
  }));
}

function viewAllowed(rule: Located, operation: AccessOperation): readonly AllowedView[] {
  const given = rule.members?.get(operation);
  if (given === undefined) return [];
  const { node, nameAt: at } = given;
  if (node.items !== undefined) return [{ operation, at, properties: namesIn(node) }];
  const right = nameOf(node);
  if (right !== undefined) return [{ operation, at, right }];
  return flag(node, false) ? [{ operation, at }] : [];
}

/** The text in front of the name of a role. */
export const ROLE = 'role:';

/** Returns the role that a rule is about; undefined for other rules. */
export function roleOf({ who }: AccessView): string | undefined {
  return who?.name.startsWith(ROLE) === true ? who.name.slice(ROLE.length) : undefined;
}
