/** A node and where the walk along its edges has come to. */
interface Step {
  readonly id: string;
  readonly next: Iterator<string>;
}

/**
 * The groups of nodes that lead to one another, as far as `starts` lead (Tarjan's strongly connected
 * components, without recursion: chains may be long). A node alone is one where it leads to itself.
 */
export function circles(
  starts: Iterable<string>,
  edgesOf: (id: string) => readonly string[],
): readonly ReadonlySet<string>[] {
  const found: ReadonlySet<string>[] = [];
  const indexes = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const open = new Set<string>();
  const lower = (id: string, to: number): void => {
    lowest.set(id, Math.min(lowest.get(id) ?? to, to));
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
    // What was opened since is the group.
    const group = new Set<string>();
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      open.delete(member);
      group.add(member);
      if (member === id) break;
    }
    if (group.size > 1 || edgesOf(id).includes(id)) found.push(group);
  };
  for (const start of starts) {
    if (indexes.has(start)) continue;
    enter(start);
    for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
      const { value: to, done } = step.next.next();
      if (done === true) leave(step.id);
      else if (!indexes.has(to)) enter(to);
      else if (open.has(to)) lower(step.id, indexes.get(to) ?? 0);
    }
  }
  return found;
}
