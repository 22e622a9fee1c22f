import type {
  FilterDefinition,
  PropertyDefinition,
  SortDefinition,
} from '../capability/definition.js';
import type { JsonValue } from '../protocol/json.js';
import type { View } from './access-port.js';

/** Queries as the store's port takes them. */

/** The number of objects to read in order of id, behind an id where one is given. */
export interface FirstObjects {
  readonly first: number;
  readonly after?: string;
}

/** A filter that src/methods has checked and freed of conditions without effect. */
export type FilterNode =
  | { readonly kind: 'all' }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'operator';
      readonly operator: 'AND' | 'OR' | 'NOT';
      readonly conditions: readonly FilterNode[];
    }
  | FilterCondition
  /** Objects that are in the view. */
  | { readonly kind: 'visible'; readonly view: View };

export interface FilterCondition {
  readonly kind: 'condition';
  readonly filter: FilterDefinition;
  readonly value: JsonValue;
}

/** The collations of RFC 4790 and RFC 5051. */
export type Collation = 'i;unicode-casemap' | 'i;ascii-casemap' | 'i;ascii-numeric' | 'i;octet';

export interface SortKey {
  readonly sort: SortDefinition;
  readonly ascending: boolean;
  /** Has an effect only on strings. */
  readonly collation: Collation;
  /** Of a sort by a condition: what the Comparator compares with. */
  readonly value?: string;
}

/** The shape that the ordered result of a query takes. */
export type PlanShape =
  /** Of objects with one value of the property the first alone is left. */
  | { readonly kind: 'collapse'; readonly by: PropertyDefinition }
  /**
   * `sorts`: objects stand behind the one that they refer to. `filters`: without it they are left
   * out.
   */
  | {
      readonly kind: 'tree';
      readonly by: PropertyDefinition;
      readonly sorts: boolean;
      readonly filters: boolean;
    };

/** A filter and a total order: nulls first if ascending; ties by id in the last key's direction. */
export interface QueryPlan {
  readonly filter: FilterNode;
  readonly sort: readonly SortKey[];
  readonly shape?: PlanShape;
}

/** Groups of objects: each has one value of a property. */
export interface GroupsOfPlan {
  readonly by: PropertyDefinition;
  /** The values. */
  readonly groups: readonly string[];
  /** Ids of objects that are left out. */
  readonly except: readonly string[];
}

/** The first of a result's objects with one value of a property. */
export interface FirstOfGroup {
  readonly id: string;
  readonly group: string;
}
