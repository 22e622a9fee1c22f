import type { DataTypeDefinition, FilterDefinition } from '../../capability/definition.js';
import type { JsonValue } from '../../protocol/json.js';
import type { FilterNode, QueryPlan, QueryWindow, SortKey } from '../port.js';
import type { Composing, Dialect } from './dialect.js';
import { operandOf } from './filter.js';
import { type Fragment, Slot, type SqlValue } from './fragment.js';

/**
 * The windows of queries, composed once for each shape: what filter and sort ask of which properties, whatever the
 * values. To compose one takes a third of the time in which an index finds its rows.
 */

/** Shapes that are remembered for each type and dialect: clients choose them. */
const LIMIT = 200;
/** Characters of their SQL together: what is made of a template (`state-reads.ts`, `render`) is some five times as long. */
const MAX_CHARACTERS = 200_000;
/** Conditions and operators of a filter that is looked up by its shape. */
const MAX_NODES = 32;

const ACCOUNT = new Slot(0);
const LIMITED = new Slot(1);
const POSITION = new Slot(2);
/** Of the first condition. */
const FIRST = 3;

/** Null: not what could be taken for all of its shape. */
type Template = Fragment | null;

interface Known {
  readonly templates: Map<string, Template>;
  characters: number;
}

const remembered = new WeakMap<Dialect, WeakMap<DataTypeDefinition, Known>>();

/** What composes a window; its values may be slots. */
export type ComposeWindow = (
  on: Composing,
  plan: QueryPlan,
  bounds: readonly [limit: SqlValue, position: SqlValue],
) => Fragment;

/** What `compose` makes of these values; `how` is what it makes beside them. */
export function composedOnce(
  how: string,
  on: Composing,
  { plan, window }: { readonly plan: QueryPlan; readonly window: QueryWindow },
  compose: ComposeWindow,
): Fragment {
  const { filter, sort } = plan;
  const { limit, position } = window;
  const shape = new Shape(on);
  const asked = shape.of(filter);
  const direct = (): Fragment => compose(on, plan, [limit, position]);
  if (asked === null) return direct();
  const known = shapesOf(on);
  const key = `${asked}|${sort.map(keyOf).join()}|${how}`;
  let template = known.templates.get(key);
  if (template === undefined) {
    const open = { filter: withSlots(filter, { next: FIRST }), sort };
    const composed = compose({ ...on, accountId: ACCOUNT }, open, [LIMITED, POSITION]);
    template = isBound(composed) ? { ...composed, recurs: true } : null;
    remember(known, key, template);
  }
  if (template === null) return direct();
  const values = [on.accountId, limit, position, ...shape.operands];
  return { ...template, values: template.values.map((slot) => boundBy(slot, values)) };
}

function remember(known: Known, key: string, template: Template): void {
  let own = key.length;
  for (const text of template?.texts ?? []) own += text.length;
  if (known.templates.size >= LIMIT || known.characters + own > MAX_CHARACTERS) {
    known.templates.clear();
    known.characters = 0;
  }
  known.templates.set(key, template);
  known.characters += own;
}

function shapesOf({ dialect, type }: Composing): Known {
  let ofDialect = remembered.get(dialect);
  if (ofDialect === undefined) {
    ofDialect = new WeakMap();
    remembered.set(dialect, ofDialect);
  }
  let known = ofDialect.get(type);
  if (known === undefined) {
    known = { templates: new Map(), characters: 0 };
    ofDialect.set(type, known);
  }
  return known;
}

function keyOf({ sort, ascending, collation }: SortKey): string {
  return `${sort.property.name} ${ascending} ${collation}`;
}

/** A filter's structure as text, and the values that its conditions compare with, in order. */
class Shape {
  readonly operands: SqlValue[] = [];
  readonly #type: DataTypeDefinition;
  readonly #dialect: Dialect;
  #nodes = 0;

  constructor({ type, dialect }: Composing) {
    this.#type = type;
    this.#dialect = dialect;
  }

  /** Null where the text of the SQL depends on the values. */
  of(node: FilterNode): string | null {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) return null;
    switch (node.kind) {
      case 'all':
      case 'none':
        return node.kind;
      case 'condition': {
        const { filter, value } = node;
        const asks = asksFor(filter, value);
        if (asks !== 'operand') return asks === null ? null : `${filter.name}:${asks}`;
        this.operands.push(operandOf(this.#type, filter, value, this.#dialect));
        return filter.name;
      }
      case 'operator': {
        let text = `${node.operator}(`;
        for (const condition of node.conditions) {
          const inner = this.of(condition);
          if (inner === null) return null;
          text += `${inner},`;
        }
        return `${text})`;
      }
    }
  }
}

/** What a condition has beside its name: one operand, whatever it is; a text of its own; null for anything else. */
function asksFor({ operator, indexed }: FilterDefinition, value: JsonValue): string | null {
  if (Array.isArray(value)) return null;
  switch (operator) {
    case 'equals':
      return value === null ? 'null' : 'operand';
    case 'isNull':
      return value === false ? 'false' : 'true';
    case 'before':
    case 'after':
    case 'atLeast':
    case 'atMost':
      return 'operand';
    // An index is asked for the parts of the text.
    case 'contains':
      return indexed === true ? null : 'operand';
    default:
      return null;
  }
}

/** The same filter with a slot in place of each operand, in the order in which Shape has them. */
function withSlots(node: FilterNode, counter: { next: number }): FilterNode {
  if (node.kind === 'operator') {
    return { ...node, conditions: node.conditions.map((each) => withSlots(each, counter)) };
  }
  if (node.kind !== 'condition' || asksFor(node.filter, node.value) !== 'operand') return node;
  const slot: unknown = new Slot(counter.next);
  counter.next += 1;
  return { ...node, value: slot as JsonValue };
}

/** All that differs from one query to the next is in slots. */
function isBound({ values }: Fragment): boolean {
  return values.every((value) => value instanceof Slot);
}

function boundBy(slot: SqlValue, values: readonly SqlValue[]): SqlValue {
  return slot instanceof Slot ? (values[slot.index] ?? null) : slot;
}
