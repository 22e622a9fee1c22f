import type { Limit } from './session.js';

export type Arguments = Readonly<Record<string, unknown>>;

/** How calls of a standard method can be cut into several. */
interface CutRow {
  /** The limit for the objects of one call. */
  readonly limit: Limit;
  /** Arguments that have an item or a member for each object. */
  readonly members: readonly string[];
}

const CUTS: Readonly<Record<string, CutRow>> = {
  get: { limit: 'maxObjectsInGet', members: ['ids'] },
  set: { limit: 'maxObjectsInSet', members: ['create', 'update', 'destroy'] },
  copy: { limit: 'maxObjectsInSet', members: ['create'] },
};

/** An object of a call: the argument that has it, its value, and its name in a map. */
interface Entry {
  readonly member: string;
  readonly value: unknown;
  readonly key?: string;
}

export interface CutOptions {
  readLimit(name: Limit): number;
  /** Octets that the arguments of a call may have. */
  readonly maxOctets: number;
}

/**
 * Cuts the arguments of a call into those of several calls, where a server takes no more at once:
 * creates first, then updates, then destroys.
 */
export function cutArguments(
  name: string,
  args: Arguments,
  { readLimit, maxOctets }: CutOptions,
): readonly Arguments[] {
  const row = CUTS[name.slice(name.indexOf('/') + 1)];
  if (row === undefined) return [args];
  const entries = row.members.flatMap((member) => readEntries(member, args[member]));
  const maxCount = readLimit(row.limit);
  if (entries.length <= maxCount && countOctets(JSON.stringify(args)) <= maxOctets) return [args];
  const common = Object.fromEntries(
    Object.entries(args).filter(([member]) => !row.members.includes(member)),
  );
  const parts: Arguments[] = [];
  let part: Entry[] = [];
  let octets = 0;
  for (const entry of orderEntries(entries)) {
    const more = countOctets(JSON.stringify(entry));
    if (part.length >= maxCount || (part.length > 0 && octets + more > maxOctets)) {
      parts.push({ ...common, ...writeEntries(part) });
      part = [];
      octets = 0;
    }
    part.push(entry);
    octets += more;
  }
  return [...parts, { ...common, ...writeEntries(part) }];
}

function readEntries(member: string, objects: unknown): readonly Entry[] {
  if (Array.isArray(objects)) return [...new Set(objects)].map((value) => ({ member, value }));
  return Object.entries(objects ?? {}).map(([key, value]) => ({ member, key, value }));
}

function writeEntries(entries: readonly Entry[]): Arguments {
  const args: Record<string, unknown[] | Record<string, unknown>> = {};
  for (const { member, key, value } of entries) {
    args[member] ??= key === undefined ? [] : {};
    const objects = args[member];
    if (Array.isArray(objects)) objects.push(value);
    else objects[key ?? ''] = value;
  }
  return args;
}

/** Puts each create behind those that its values name: a reference reaches back alone. */
function orderEntries(entries: readonly Entry[]): Iterable<Entry> {
  const creates = new Map(
    entries.filter(({ member }) => member === 'create').map((entry) => [entry.key, entry]),
  );
  const visited = new Set<Entry>();
  const ordered = new Set<Entry>();
  const visit = (entry: Entry | undefined): void => {
    if (entry === undefined || visited.has(entry)) return;
    visited.add(entry);
    if (entry.member === 'create') {
      for (const key of findCreationIds(JSON.stringify(entry.value))) visit(creates.get(key));
    }
    ordered.add(entry);
  };
  entries.forEach(visit);
  return ordered;
}

/** Returns the creation ids that a JSON text may name by `#`. */
export function findCreationIds(json: string): readonly string[] {
  return Array.from(json.matchAll(/#([\w-]+)/g), ([, key = '']) => key);
}

export function countOctets(text: string): number {
  return new TextEncoder().encode(text).length;
}

/**
 * Returns the answer of a whole call from those of two parts. Its `state` is the first part's, so
 * that /changes tells all that came later; its `newState` is the last part's.
 */
export function mergeAnswers(first: Arguments, next: Arguments): Arguments {
  const merged: Record<string, unknown> = { ...next, ...first };
  for (const [name, value] of Object.entries(next)) {
    const before = first[name];
    if (name === 'newState' || before === null) merged[name] = value;
    else if (Array.isArray(before)) merged[name] = [...before, ...((value as unknown[]) ?? [])];
    else if (typeof before === 'object') merged[name] = { ...before, ...(value as object) };
  }
  return merged;
}
