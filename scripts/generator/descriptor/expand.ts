import { type Located, type Member, member, text } from '../load/located.js';

/** What a `$ref` may begin with: definitions of the same descriptor, nothing else. */
export const LOCAL = '#/$defs/';

/** Keys that stand beside a `$ref`: what the schema's place says, not the schema. */
export const BESIDE_REF: readonly string[] = Object.freeze([
  '$ref',
  'description',
  'default',
  'access',
  'unique',
  'computed',
  'deprecated',
  'renamedFrom',
]);

/**
 * Puts a definition wherever a schema refers to one, so that rules and the model see schemas alone.
 * What refers to itself or to nothing becomes a schema without a type, which says nothing; the rule
 * about definitions tells of it.
 */
export class Definitions {
  readonly #raw: ReadonlyMap<string, Member>;
  readonly #expanded = new Map<string, Located>();
  readonly #open = new Set<string>();

  constructor(root: Located) {
    this.#raw = member(root, '$defs')?.members ?? new Map();
  }

  expand(node: Located): Located {
    const reference = text(member(node, '$ref'));
    if (reference !== undefined) return this.#refer(node, reference);
    if (node.members === undefined) return node;
    const changed = new Map(node.members);
    for (const key of ['items', 'additionalProperties', 'setOf', 'arguments', 'response'])
      this.#replace(changed, key, (inner) => this.expand(inner));
    this.#replace(changed, 'properties', (inner) => this.#each(inner));
    return { ...node, members: changed };
  }

  #each(node: Located): Located {
    if (node.members === undefined) return node;
    const inner = [...node.members].map(
      ([name, each]) => [name, { ...each, node: this.expand(each.node) }] as const,
    );
    return { ...node, members: new Map(inner) };
  }

  #replace(found: Map<string, Member>, key: string, change: (node: Located) => Located): void {
    const there = found.get(key);
    if (there !== undefined) found.set(key, { ...there, node: change(there.node) });
  }

  #refer(node: Located, reference: string): Located {
    const definition = this.#definition(reference);
    if (definition === undefined) return { value: {}, at: node.at, members: new Map() };
    const beside = [...(node.members ?? [])].filter(
      ([name]) => name !== '$ref' && BESIDE_REF.includes(name),
    );
    if (beside.length === 0) return definition;
    return {
      value: node.value,
      at: node.at,
      members: new Map([...(definition.members ?? []), ...beside]),
      definition,
    };
  }

  #definition(reference: string): Located | undefined {
    const name = reference.startsWith(LOCAL) ? reference.slice(LOCAL.length) : '';
    const known = this.#expanded.get(name);
    if (known !== undefined) return known;
    const raw = this.#raw.get(name);
    if (raw === undefined || this.#open.has(name)) return undefined;
    this.#open.add(name);
    const expanded = { ...this.expand(raw.node), title: titleOf(name) };
    this.#open.delete(name);
    this.#expanded.set(name, expanded);
    return expanded;
  }
}

/** The TypeScript name of a definition. */
export function titleOf(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
