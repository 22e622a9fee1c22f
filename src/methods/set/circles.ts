/** A node and where the walk along its edges has come to. */
interface Step {
  readonly id: string;
  readonly next: Iterator<string>;
}

/** Nodes that lead to one another, or one that leads to no other which leads back to it. */
export interface Group {
  readonly ids: ReadonlySet<string>;
  /** False for a node alone that doesn't lead to itself. */
  readonly isCircle: boolean;
}

/**
 * Returns the groups of nodes that lead to one another, as far as `starts` lead, each behind those
 * that it leads to. These are Tarjan's strongly connected components, without recursion: chains may
 * be long.
 */
export function groupsOf(
  starts: Iterable<string>,
  edgesOf: (id: string) => readonly string[],
): readonly Group[] {
  const found: Group[] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const lower = (id: string, bound: number): void => {
    lowest.set(id, Math.min(lowest.get(id) ?? bound, bound));
  };
  const path: Step[] = [];
  const enter = (id: string): void => {
    lowest.set(id, indexes.size);
    indexes.set(id, indexes.size);
    open.add(id);
    stack.push(id);
    path.push({ id, next: edgesOf(id).values() });
  };
  const leave = (id: string): void => {
    path.pop();
    const low = lowest.get(id) ?? 0;
    const above = path.at(-1);
    if (above !== undefined) lower(above.id, low);
    if (low !== indexes.get(id)) return;
    // The group is all that was opened since.
    const ids = new Set<string>();
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      open.delete(member);
      ids.add(member);
      if (member === id) break;
    }
    found.push({ ids, isCircle: ids.size > 1 || edgesOf(id).includes(id) });
  };
  for (const start of starts) {
    if (indexes.has(start)) continue;
    enter(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { value: target, done } = step.next.next();
      if (done === true) leave(step.id);
      else if (!indexes.has(target)) enter(target);
      else if (open.has(target)) lower(step.id, indexes.get(target) ?? 0);
    }
  }
  return found;
}
