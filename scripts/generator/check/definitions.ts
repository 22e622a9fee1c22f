import { BESIDE_REF, LOCAL, titleOf } from '../descriptor/expand.js';
import { type Located, type Member, member, members, text } from '../load/located.js';
import { didYouMean } from './did-you-mean.js';
import { oneOf, type Report, type Rule } from './rule.js';

/** `$ref` names a definition of the same descriptor, and none leads back to itself. */
export const definitions: Rule = (views, report) => {
  for (const { root, types } of views) {
    const found = members(member(root, '$defs'));
    const taken = types.flatMap(({ name }) =>
      ['', 'Create', 'Patch', 'Filter', 'Stored', 'Shape'].map((suffix) => name + suffix),
    );
    for (const { name, nameAt } of found) {
      if (!/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name) || taken.includes(titleOf(name)))
        report(
          'bad-definition-name',
          nameAt,
          `no definition can be named "${name}": it becomes the TypeScript type ` +
            `${titleOf(name)}, so it takes up to 40 letters and digits and the name of no type.`,
        );
    }
    const names = found.map(({ name }) => name);
    for (const node of referring(root)) judge(node, names, report);
    recursion(found, report);
  }
};

function judge(node: Located, names: readonly string[], report: Report): void {
  const reference = member(node, '$ref');
  const target = text(reference);
  if (reference === undefined || target === undefined) return;
  const name = target.startsWith(LOCAL) ? target.slice(LOCAL.length) : undefined;
  if (name === undefined || !names.includes(name)) {
    const guess = didYouMean(name ?? target, names);
    const there = names.length === 0 ? 'There are none.' : `There are ${names.join(', ')}.`;
    report(
      'unknown-definition',
      reference.at,
      `"${target}" names no schema of this descriptor's $defs.${guess} ${there} It is written ` +
        "$ref: '#/$defs/name'.",
    );
  }
  for (const { name: key, nameAt } of members(node)) {
    if (!BESIDE_REF.includes(key))
      report(
        'misplaced-key',
        nameAt,
        `"${key}" does not go with $ref: the definition says it. Legal beside it are ` +
          `${oneOf(BESIDE_REF.slice(1))}.`,
      );
  }
}

function recursion(found: readonly Member[], report: Report): void {
  const targets = new Map(
    found.map(({ name, node }) => [name, referring(node).map((each) => nameIn(each))] as const),
  );
  const leadsTo = (from: string, goal: string, seen: Set<string>): boolean => {
    if (seen.has(from)) return false;
    seen.add(from);
    const next = targets.get(from) ?? [];
    return next.includes(goal) || next.some((name) => leadsTo(name, goal, seen));
  };
  for (const { name, nameAt } of found) {
    if (leadsTo(name, name, new Set()))
      report(
        'recursive-definition',
        nameAt,
        `"${name}" contains itself by $ref, so its values could nest without end. A column ` +
          'holds a bounded value: write the levels out, or make it a type and use references.',
      );
  }
}

function nameIn(node: Located): string {
  return (text(member(node, '$ref')) ?? '').slice(LOCAL.length);
}

/** Values that are the author's data and the session's: what looks like a `$ref` there is none. */
const DATA: readonly string[] = ['default', 'enum', 'session', 'accountSession'];

/** Every schema that has a `$ref`; a member of that name among `properties` is no schema's. */
function referring(node: Located): readonly Located[] {
  const own = text(member(node, '$ref')) === undefined ? [] : [node];
  const inner = members(node).flatMap(({ name, node: each }) =>
    DATA.includes(name) && each.members === undefined ? [] : [{ name, each }],
  );
  return [
    ...own,
    ...inner.flatMap(({ name, each }) => (DATA.includes(name) ? [] : referring(each))),
  ];
}
