import { BOUNDS } from './bounds.js';
import { onCycles } from './cycles.js';
import { definitionGraph, LOCAL } from './definition-references.js';
import { type Located, type Member, member, text } from './located.js';
import type { Location } from './model.js';

/** Keys that stand beside a `$ref`: what the schema's place says, not the schema. */
export const BESIDE_REF: readonly string[] = Object.freeze([
  '$ref',
  'description',
  'default',
  'optional',
  'onRequest',
  'readable',
  'perUser',
  'access',
  'unique',
  'computed',
  'deprecated',
  'renamedFrom',
]);

/** Keys that stand beside the `$ref` of an answered property as well. */
const BESIDE_ANSWERED: readonly string[] = Object.freeze(['from', 'parts']);

/** Returns whether a key may stand beside a `$ref`. */
export function isBesideRef(key: string): boolean {
  return BESIDE_REF.includes(key) || BESIDE_ANSWERED.includes(key);
}

/** Definitions within definitions: far more than values have levels. */
const MAX_CHAIN = 64;

/** Keys whose value is a schema, or a list of schemas. */
const SCHEMA_KEYS: readonly string[] = Object.freeze([
  ...['items', 'additionalProperties', 'setOf', 'arguments', 'response', 'oneOf'],
]);

/**
 * Puts a definition wherever a schema refers to one, so that rules and the model see schemas alone.
 * A definition that contains itself is written out as far as its values may nest. A reference to
 * nothing, or one that grows too large, becomes a schema without a type, which says nothing. The
 * rule about definitions tells of it.
 */
export class Definitions {
  readonly #raw: ReadonlyMap<string, Member>;
  readonly #expanded = new Map<string, Located>();
  /** How often each definition lies around the schema that is being expanded. */
  readonly #open = new Map<string, number>();
  readonly #recursive: ReadonlySet<string>;
  readonly #used = new Set<string>();
  readonly #sizes = new WeakMap<Located, number>();
  readonly #oversized: Location[] = [];

  constructor(root: Located) {
    this.#raw = member(root, '$defs')?.members ?? new Map();
    this.#recursive = onCycles(definitionGraph([...this.#raw.values()]));
  }

  /**
   * Returns where schemas grow too large: few definitions that use each other can stand for
   * millions.
   */
  get oversized(): readonly Location[] {
    return this.#oversized;
  }

  /**
   * Returns the definitions that nothing has used so far: in `names` all of them, as written; in
   * `schemas` expanded ones, without those that another unused one refers to.
   */
  unused(): { readonly names: readonly Member[]; readonly schemas: readonly Member[] } {
    const names = [...this.#raw.values()].filter(({ name }) => !this.#used.has(name));
    const expanded = names.map((each) => ({ ...each, node: this.expand(each.node) }));
    return { names, schemas: expanded.filter(({ name }) => !this.#used.has(name)) };
  }

  /** Returns a schema with all its references resolved; an empty one if it grows too large. */
  expand(node: Located): Located {
    const expanded = this.#expand(node);
    if (this.#sizeOf(expanded) <= BOUNDS.schemas) return expanded;
    this.#oversized.push(node.at);
    return { value: {}, at: node.at, members: new Map() };
  }

  /** Counts the schemas in a schema, itself included. A definition counts wherever it is used. */
  #sizeOf(node: Located): number {
    const known = this.#sizes.get(node);
    if (known !== undefined) return known;
    const inner = [...(node.members ?? [])].flatMap(([key, { node: each }]) =>
      key === 'properties'
        ? [...(each.members?.values() ?? [])].map((one) => one.node)
        : SCHEMA_KEYS.includes(key)
          ? (each.items ?? [each])
          : [],
    );
    const size = inner.reduce((sum, each) => sum + this.#sizeOf(each), 1);
    this.#sizes.set(node, size);
    return size;
  }

  /** Expands a schema whatever its size: the caller measures it. */
  #expand(node: Located): Located {
    const reference = text(member(node, '$ref'));
    if (reference !== undefined) return this.#resolve(node, reference);
    if (node.members === undefined) return node;
    const changed = new Map(node.members);
    for (const key of SCHEMA_KEYS)
      this.#replaceMember(changed, key, (inner) => this.#expandEach(inner));
    this.#replaceMember(changed, 'properties', (inner) => this.#expandMembers(inner));
    return { ...node, members: changed };
  }

  /** Returns a schema expanded, or a list with each of its schemas expanded. */
  #expandEach(node: Located): Located {
    if (node.items === undefined) return this.expand(node);
    return { ...node, items: node.items.map((each) => this.expand(each)) };
  }

  /** Returns the node with each of its members expanded. */
  #expandMembers(node: Located): Located {
    if (node.members === undefined) return node;
    const inner = [...node.members].map(
      ([name, each]) => [name, { ...each, node: this.expand(each.node) }] as const,
    );
    return { ...node, members: new Map(inner) };
  }

  /** Replaces the node under a key by the changed one; does nothing where the key is missing. */
  #replaceMember(
    found: Map<string, Member>,
    key: string,
    change: (node: Located) => Located,
  ): void {
    const there = found.get(key);
    if (there !== undefined) found.set(key, { ...there, node: change(there.node) });
  }

  /**
   * Returns the definition that a reference names, with the keys beside the reference, which take
   * precedence; an empty schema where there is no such definition.
   */
  #resolve(node: Located, reference: string): Located {
    const definition = this.#findDefinition(reference);
    if (definition === undefined) return { value: {}, at: node.at, members: new Map() };
    const beside = [...(node.members ?? [])].filter(
      ([name]) => name !== '$ref' && isBesideRef(name),
    );
    if (beside.length === 0) return definition;
    return {
      value: node.value,
      at: node.at,
      members: new Map([...(definition.members ?? []), ...beside]),
      definition,
    };
  }

  /**
   * Returns a definition expanded. Undefined if it is unknown, or stands behind too long a chain of
   * references.
   */
  #findDefinition(reference: string): Located | undefined {
    const name = reference.startsWith(LOCAL) ? reference.slice(LOCAL.length) : '';
    this.#used.add(name);
    const level = (this.#open.get(name) ?? 0) + 1;
    const isRecursive = this.#recursive.has(name);
    const key = isRecursive ? [name, ...this.#openRecursive()].join() : name;
    const known = this.#expanded.get(key);
    if (known !== undefined) return known;
    const raw = this.#raw.get(name);
    if (raw === undefined) return undefined;
    const title = titleOf(name);
    const depth = depthOf(raw);
    if (level > depth)
      return { value: {}, at: raw.node.at, members: new Map(), title, depth, level };
    if (this.#open.size > MAX_CHAIN) {
      this.#oversized.push(raw.nameAt);
      return undefined;
    }
    this.#open.set(name, level);
    const expanded = { ...this.expand(raw.node), title, ...(isRecursive ? { level } : {}) };
    if (level === 1) this.#open.delete(name);
    else this.#open.set(name, level - 1);
    this.#expanded.set(key, expanded);
    return expanded;
  }

  /** Returns the recursive definitions around the schema, each with how often it is there. */
  #openRecursive(): readonly string[] {
    return [...this.#open].flatMap(([name, level]) =>
      this.#recursive.has(name) ? [`${name} ${level}`] : [],
    );
  }
}

/** Returns how many values of a definition may lie within each other. */
function depthOf({ node }: Member): number {
  const depth = member(node, 'maxDepth')?.value;
  return typeof depth === 'number' ? depth : BOUNDS.nesting;
}

/** Returns the TypeScript name of a definition: `Address` for `address`. */
export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
