/** A value that breaks a rule; the text stands behind its path. */
export interface Fault {
  readonly path: string;
  readonly text: string;
}

/** Judges each value of a map, with its path and its name; no map has no faults. */
export function judgeEntries<Value>(
  property: string,
  map: Readonly<Record<string, Value>> | undefined,
  judge: (value: Value, path: string, name: string) => readonly Fault[],
): readonly Fault[] {
  return Object.entries(map ?? {}).flatMap(([name, value]) =>
    judge(value, `${property}/${name}`, name),
  );
}
