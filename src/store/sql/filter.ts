import type {
  DataTypeDefinition,
  FilterDefinition,
  FilterOperator,
  PropertyDefinition,
} from '../../capability/definition.js';
import { FILTER_OPERATORS, isSearched } from '../../capability/filter-operators.js';
import { type SortKey, sortKeyOf } from '../../capability/formats/index.js';
import { SEPARATOR } from '../../capability/parts.js';
import { holdsOwn, itemKind } from '../../capability/shadow-transforms.js';
import { itemKeyOf } from '../../capability/text-forms.js';
import { parseUtcDate } from '../../protocol/dates.js';
import { MethodError } from '../../protocol/errors.js';
import { InexactNumber, type JsonValue } from '../../protocol/json.js';
import { fold, searchWords } from '../../text/index.js';
import type { FilterCondition, FilterNode } from '../port.js';
import type { Dialect, SqlContext } from './dialect-port.js';
import { type Fragment, name, type Raw, raw, type SqlValue, sql } from './fragment.js';
import { prefixRange } from './prefix.js';
import { isVisible } from './visible.js';

/**
 * SQLite's expressions are at most 1,000 deep; a condition and what stands around the filter need
 * some.
 */
const MAX_HEIGHT = 900;
/** Words of one `text` condition. */
const MAX_WORDS = 50;
/** Characters of a row's texts beside which looking at the row is no small step. */
const LONG = 16_384;
/** A longer filter would take the database longer to parse than to answer. */
const MAX_CONDITIONS = 5000;
/**
 * SQLite takes 32,766 parameters, PostgreSQL 65,535 (its protocol counts them in 16 bits). A rank
 * has the filter twice.
 */
const MAX_VALUES = 15_000;

/** More than the height of any condition, but for what the words and columns of a `text` add. */
const HEIGHT = 16;

/** A part of the WHERE clause with the height of its expression tree; constants are folded away. */
type Condition = true | false | Open;

interface Open extends ComposedFilter {
  readonly height: number;
  /** How much work a row is, beside other conditions: it is asked after those of less. */
  readonly cost: number;
}

/** A WHERE condition, and, if an index gives it, a SELECT of the only ids that can meet it. */
export interface ComposedFilter {
  readonly where: Fragment;
  readonly lookup: Lookup | null;
  /** A part of the condition: ordered indexes find each row that meets it; null for none. */
  readonly ordered: Fragment | null;
}

interface Kept {
  readonly context: SqlContext;
  readonly leads: boolean;
  readonly composed: ComposedFilter;
}

/** The last composition of a filter: 5,000 conditions keep the event loop busy for some 20 ms. */
const kept = new WeakMap<FilterNode, Kept>();

/** Calls `composeFilter` once for all statements of a call, also those begun anew elsewhere. */
export function composedFilter(
  context: SqlContext,
  filter: FilterNode,
  leads = false,
): ComposedFilter {
  const last = kept.get(filter);
  if (last?.leads === leads && isSame(last.context, context)) return last.composed;
  const composed = composeFilter(context, filter, leads);
  // Nothing to compose, and one object for all who ask for everything.
  if (filter.kind !== 'all') kept.set(filter, { context, leads, composed });
  return composed;
}

function isSame(a: SqlContext, b: SqlContext): boolean {
  return a.dialect === b.dialect && a.type === b.type && a.accountId === b.accountId;
}

/**
 * Composes a filter into a WHERE condition (RFC 8620 5.5). Logic is two-valued: a comparison with a
 * stored null is false, so its NOT is true. NOT is pushed down to the conditions (De Morgan), where
 * SQL's third value can be ruled out. Above them only AND and OR are left, for which unknown is as
 * good as false.
 *
 * Where it `leads`, the planner is told to take an index of the filter's whatever the order.
 *
 * Throws `MethodError('unsupportedFilter')` for one too deep or too long for the database.
 */
function composeFilter(context: SqlContext, filter: FilterNode, leads: boolean): ComposedFilter {
  let conditions = 0;
  let values = 0;

  const compose = (node: FilterNode, negated: boolean): Condition => {
    switch (node.kind) {
      case 'all':
        return !negated;
      case 'none':
        return negated;
      case 'condition': {
        conditions += 1;
        if (conditions > MAX_CONDITIONS) throw tooComplex();
        const condition = composeCondition(context, node);
        if (typeof condition === 'boolean') return condition !== negated;
        const open = negated
          ? { where: not(condition), lookup: null, ordered: null }
          : narrowed(context, node, condition, leads);
        values += open.where.values.length + (open.lookup?.ids.values.length ?? 0);
        if (values > MAX_VALUES) throw tooComplex();
        return {
          ...open,
          height: heightOf(node.filter),
          cost: node.filter.many === undefined ? FILTER_OPERATORS[node.filter.operator].cost : 2,
        };
      }
      case 'visible': {
        const seen = isVisible(context, node.view);
        const where = negated ? not(seen) : seen;
        return { where, lookup: null, ordered: null, height: HEIGHT, cost: 1 };
      }
      case 'operator': {
        // NOT: none of the conditions match; NOT of nothing is true, as AND of nothing is.
        const inner = node.operator === 'NOT' ? !negated : negated;
        const isAnd = (node.operator === 'OR') === negated;
        return join(
          node.conditions.map((child) => compose(child, inner)),
          isAnd,
        );
      }
    }
  };

  const condition = compose(filter, false);
  if (typeof condition !== 'boolean') return condition;
  return { where: condition ? sql`TRUE` : sql`FALSE`, lookup: null, ordered: null };
}

/** Returns the condition beside what the type's search index, or an ordered one, says of it. */
function narrowed(
  context: SqlContext,
  node: FilterCondition,
  condition: Fragment,
  leads: boolean,
): ComposedFilter {
  const { type, dialect } = context;
  const { filter, value } = node;
  const { said } = dialect;
  if (filter.operator === 'startsWith' && filter.indexed === true) {
    const range = (how?: (end: Fragment) => Fragment): Fragment | null =>
      prefixRange(filter.column, needle(type, filter, value), dialect, how);
    const ordered = said === undefined ? null : range((end) => said(end, 'rare'));
    const beside = (leads ? ordered : null) ?? range();
    const both = beside === null ? condition : sql`(${beside} AND ${condition})`;
    return { where: both, lookup: null, ordered };
  }
  if (said !== undefined && isOrdered(filter, value)) {
    const rare = said(condition, 'rare');
    return { where: leads ? rare : condition, lookup: null, ordered: rare };
  }
  const { beside, lookup } = searchOf(context, node);
  const narrow = beside === null ? condition : sql`(${beside} AND ${condition})`;
  return { where: narrow, lookup, ordered: null };
}

/** Returns whether an ordered index finds the matches: not for all but null, or null too. */
function isOrdered({ indexed, operator }: FilterDefinition, value: JsonValue): boolean {
  if (asksForValue(operator, value)) return false;
  if (Array.isArray(value) && value.includes(null)) return false;
  const { compares } = FILTER_OPERATORS[operator];
  return indexed === true && (compares === 'value' || compares === 'presence');
}

/** Returns whether the condition is that there is a value, whatever it is. */
function asksForValue(operator: FilterOperator, value: JsonValue): boolean {
  return operator === 'isNull' ? value === false : operator === 'isNotNull' && value !== false;
}

function heightOf(filter: FilterDefinition): number {
  return filter.operator === 'text' ? HEIGHT + MAX_WORDS + columnsOf(filter).length : HEIGHT;
}

/** Databases ask conditions in the order of the text: first what costs little. */
function join(conditions: readonly Condition[], isAnd: boolean): Condition {
  if (conditions.includes(!isAnd)) return !isAnd;
  const open = conditions
    .filter((condition) => typeof condition !== 'boolean')
    .sort((left, right) => left.cost - right.cost);
  return balance(open, 0, open.length, isAnd) ?? isAnd;
}

/** Joins in a balanced tree: a chain of 1,000 would be as deep as that. */
function balance(
  conditions: readonly Open[],
  start: number,
  end: number,
  isAnd: boolean,
): Open | undefined {
  if (end - start <= 1) return conditions[start];
  const middle = (start + end) >> 1;
  const left = balance(conditions, start, middle, isAnd);
  const right = balance(conditions, middle, end, isAnd);
  if (left === undefined || right === undefined) return left ?? right;
  const height = Math.max(left.height, right.height) + 1;
  if (height > MAX_HEIGHT) throw tooComplex();
  return {
    where: joined(left.where, right.where, isAnd),
    height,
    lookup: joinLookups(left.lookup, right.lookup, isAnd),
    ordered: joinOrdered(left.ordered, right.ordered, isAnd),
    cost: Math.max(left.cost, right.cost),
  };
}

function joinOrdered(
  left: Fragment | null,
  right: Fragment | null,
  isAnd: boolean,
): Fragment | null {
  if (left === null || right === null) return isAnd ? (left ?? right) : null;
  return joined(left, right, isAnd);
}

function joined(left: Fragment, right: Fragment, isAnd: boolean): Fragment {
  return sql`(${left} ${raw(isAnd ? 'AND' : 'OR')} ${right})`;
}

function tooComplex(): MethodError {
  return new MethodError('unsupportedFilter', 'The filter is too deep or too long.');
}

function composeCondition(context: SqlContext, condition: FilterCondition): Fragment | boolean {
  const { many, column } = condition.filter;
  return many === 'any' || many === 'all'
    ? composeOfItems(context, condition)
    : composeOn(name(column), context, condition);
}

/** Composes a condition on the items of a list: of `all`, none may fail it. */
function composeOfItems(
  context: SqlContext,
  { filter, value }: FilterCondition,
): Fragment | boolean {
  const { dialect, type } = context;
  const { many: _, ...single } = filter;
  const item = raw('"item"."value"');
  const one = composeOn(item, context, { kind: 'condition', filter: single, value });
  const column = name(filter.column);
  const some = (condition: Fragment): Fragment => {
    const shadow = type.shadows.find((each) => each.column === filter.column);
    const kind = shadow === undefined ? 'string' : itemKind(shadow);
    return timelyOf(type, column, dialect.someItem(column, kind, condition), dialect);
  };
  if (filter.many === 'any') return typeof one === 'boolean' ? one : some(one);
  if (one === true) return true;
  return not(some(one === false ? sql`TRUE` : not(one)));
}

/** Composes a condition on what an expression holds. */
function composeOn(
  column: Raw,
  { type, dialect }: SqlContext,
  condition: FilterCondition,
): Fragment | boolean {
  const { filter, value } = condition;
  const operand = (): SqlValue => comparable(filter, value, dialect);
  const timely = (condition: Fragment): Fragment => timelyOf(type, column, condition, dialect);
  switch (filter.operator) {
    case 'equals':
      return value === null ? sql`${column} IS NULL` : sql`${column} = ${operand()}`;
    case 'in':
      return composeIn(column, condition, dialect);
    case 'contains':
      return timely(dialect.contains(column, needle(type, filter, value)));
    case 'startsWith':
      if (filter.many === 'joined')
        return timely(dialect.contains(column, SEPARATOR + needle(type, filter, value)));
      return timely(dialect.startsWith(column, needle(type, filter, value)));
    // As RFC 8621 4.4.1 has it: before is strictly earlier, after is the same or later.
    case 'before':
    case 'lessThan':
      return sql`${column} < ${operand()}`;
    case 'after':
    case 'atLeast':
      return sql`${column} >= ${operand()}`;
    case 'atMost':
      return sql`${column} <= ${operand()}`;
    case 'greaterThan':
      return sql`${column} > ${operand()}`;
    case 'hasKey':
      return timely(dialect.hasKey(column, String(value)));
    case 'lacksKey':
      return not(timely(dialect.hasKey(column, String(value))));
    case 'hasOtherKey':
      return timely(dialect.hasOtherKey(column, JSON.stringify(value)));
    case 'hasEntry': {
      const [key = '', text = ''] = value as readonly string[];
      return timely(
        text === '' ? dialect.hasKey(column, key) : dialect.hasEntry(column, key, text),
      );
    }
    case 'hasItem':
    case 'lacksItem': {
      const item = itemOperand(filter.property, value);
      const isWanted = filter.operator === 'hasItem';
      // JSON has no number beyond a double's range: nothing that is stored is one.
      if (typeof item === 'number' && !Number.isFinite(item)) return !isWanted;
      const has = timely(dialect.hasItem(column, item));
      return isWanted ? has : not(has);
    }
    case 'text':
      return composeText(type, filter, value, dialect);
    case 'isNull':
    case 'isNotNull':
      return asksForValue(filter.operator, value)
        ? sql`${column} IS NOT NULL`
        : sql`${column} IS NULL`;
  }
}

/** Returns what is true where a condition is false, or unknown: it reads null. */
function not(condition: Fragment): Fragment {
  return sql`(${condition}) IS NOT TRUE`;
}

/**
 * Returns the condition that every word or phrase is somewhere in the columns; a text without a
 * word constrains nothing.
 */
function composeText(
  type: DataTypeDefinition,
  filter: FilterDefinition,
  value: JsonValue,
  dialect: Dialect,
): Fragment | boolean {
  const columns = columnsOf(filter).map(name);
  const words = wordsOf(type, filter, value);
  if (words.length > MAX_WORDS) throw tooComplex();
  return words.reduce<Fragment | boolean>((all, word) => {
    const [first = name(filter.column), ...rest] = columns;
    // A null column contains nothing; as the unknown it would be, it spoils no OR.
    const isIn = (column: Raw): Fragment =>
      timelyOf(type, column, dialect.contains(column, word), dialect);
    const somewhere = rest.reduce((any, column) => sql`${any} OR ${isIn(column)}`, isIn(first));
    return typeof all === 'boolean' ? sql`(${somewhere})` : sql`${all} AND (${somewhere})`;
  }, true);
}

/** Adds a look at the time to a condition that reads whole values, unless they can't be long. */
function timelyOf(
  { characters = Number.POSITIVE_INFINITY }: DataTypeDefinition,
  column: Raw,
  condition: Fragment,
  dialect: Dialect,
): Fragment {
  return characters < LONG ? condition : dialect.timely(column, condition);
}

/** Returns one wire value as its column holds it; a Boolean stays one, for the dialect. */
export function columnValue(property: PropertyDefinition, value: JsonValue): SqlValue | boolean {
  return property.kind === 'date' && typeof value === 'string'
    ? parseUtcDate(value)
    : itemValue(value);
}

/** Returns what conditions on items compare with. */
export function itemOperand(list: PropertyDefinition, value: JsonValue): SqlValue | boolean {
  const key = typeof value === 'string' ? itemKeyOf(list)?.of(value) : undefined;
  return key ?? itemValue(value);
}

/** Returns the same of a value in a JSON column's list. */
function itemValue(value: JsonValue): SqlValue | boolean {
  if (value instanceof InexactNumber) return value.value;
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
}

function composeIn(
  column: Raw,
  { filter, value }: FilterCondition,
  dialect: Dialect,
): Fragment | boolean {
  const values = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  const present = values.filter((element) => element !== null);
  const json = JSON.stringify(present.map((element) => comparable(filter, element, dialect)));
  const kind = sortKeyRead(filter)?.kind ?? filter.property.kind;
  const members = sql`${column} IN (${dialect.elements(json, kind)})`;
  if (present.length === values.length) return present.length > 0 && members;
  return present.length > 0 ? sql`(${members} OR ${column} IS NULL)` : sql`${column} IS NULL`;
}

/** Returns a condition's value as its column holds it. */
function comparable(filter: FilterDefinition, value: JsonValue, dialect: Dialect): SqlValue {
  const key = sortKeyRead(filter);
  if (key !== undefined && typeof value === 'string') return key.of(value);
  const stored = columnValue(filter.property, value);
  return typeof stored === 'boolean' ? dialect.boolean(stored) : stored;
}

/** Returns the key that a condition compares instead of the property's text. */
function sortKeyRead({ property, column }: FilterDefinition): SortKey | undefined {
  return holdsOwn(property, column) ? undefined : sortKeyOf(property);
}

/** The texts that a filter looks for, and the search index that can answer for them. */

/** A longer combination costs more than it saves. */
const MAX_LOOKUPS = 20;

/** A SELECT `"_id"` of ids, each once, of how many lookups it is made. */
export interface Lookup {
  readonly ids: Fragment;
  readonly count: number;
}

/** Returns text to look for, as the column holds text: folded for a folding shadow column. */
export function needle(
  type: DataTypeDefinition,
  filter: FilterDefinition,
  value: JsonValue,
): string {
  const text = String(value);
  const shadow = type.shadows.find((candidate) => candidate.column === filter.column);
  return shadow?.transform === 'fold' ? fold(text) : text;
}

/** Returns each word or phrase once: one that is there twice asks for nothing more. */
export function wordsOf(
  type: DataTypeDefinition,
  filter: FilterDefinition,
  value: JsonValue,
): readonly string[] {
  return searchWords(needle(type, filter, value));
}

export function columnsOf(filter: FilterDefinition): readonly string[] {
  return filter.columns ?? [filter.column];
}

/** Returns the search index's condition for a filter condition that it can narrow down. */
function searchOf(
  { type, accountId, dialect }: SqlContext,
  { filter, value }: FilterCondition,
): { readonly beside: Fragment | null; readonly lookup: Lookup | null } {
  const { operator } = filter;
  if (filter.indexed !== true || type.search === undefined || !isSearched(operator))
    return { beside: null, lookup: null };
  const target = { name: type.search.name, accountId };
  const words = operator === 'text' ? wordsOf(type, filter, value) : [needle(type, filter, value)];
  const { beside, lookup } = dialect.search(target, columnsOf(filter), words);
  return { beside, lookup: lookup && { ids: lookup, count: 1 } };
}

/** Of a conjunction either lookup will do, and both are better; a disjunction needs both. */
function joinLookups(left: Lookup | null, right: Lookup | null, isAnd: boolean): Lookup | null {
  if (left === null || right === null) return isAnd ? (left ?? right) : null;
  const count = left.count + right.count;
  if (count > MAX_LOOKUPS) return isAnd ? left : null;
  const ids = sql`SELECT "_id" FROM (${left.ids}) ${raw(isAnd ? 'INTERSECT' : 'UNION')}
 SELECT "_id" FROM (${right.ids})`;
  return { ids, count };
}
