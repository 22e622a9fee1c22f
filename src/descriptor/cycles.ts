/**
 * Returns the names that lead back to themselves, and those on a way from one cycle to another.
 * It takes away whatever leads nowhere and whatever nothing leads to, in linear time.
 */
export function onCycles(targets: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const sources = new Map<string, string[]>();
  for (const [name, others] of targets) {
    for (const other of others) {
      const known = sources.get(other);
      if (known === undefined) sources.set(other, [name]);
      else known.push(name);
    }
  }
  const left = new Set(targets.keys());
  peel(left, targets, sources);
  peel(left, sources, targets);
  return left;
}

/** Nodes of a graph by name, each with the names that it leads to. */
type Edges = ReadonlyMap<string, readonly string[]>;

/** Removes from `left`, again and again, the names that lead to nothing in it. */
function peel(left: Set<string>, forwards: Edges, backwards: Edges): void {
  const degree = new Map<string, number>();
  for (const name of left)
    degree.set(name, (forwards.get(name) ?? []).filter((other) => left.has(other)).length);
  const ends = [...left].filter((name) => degree.get(name) === 0);
  for (let name = ends.pop(); name !== undefined; name = ends.pop()) {
    left.delete(name);
    for (const source of backwards.get(name) ?? []) {
      if (!left.has(source)) continue;
      const remaining = (degree.get(source) ?? 0) - 1;
      degree.set(source, remaining);
      if (remaining === 0) ends.push(source);
    }
  }
}
