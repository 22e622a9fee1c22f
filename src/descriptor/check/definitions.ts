import { BOUNDS } from '../bounds.js';
import { BESIDE_REF, isBesideRef, LOCAL, titleOf } from '../expand.js';
import { type Located, type Member, member, members, text } from '../located.js';
import { onCycles } from './cycles.js';
import { didYouMean } from './did-you-mean.js';
import { listed, oneOf, type Report, type Rule } from './rule.js';

/**
 * Refuses wrong names of definitions, unknown ones and cycles; warns of those that nobody uses.
 */
export const definitions: Rule = (views, report) => {
  for (const { root, types, unused, oversized } of views) {
    const found = members(member(root, '$defs'));
    const typeNames = types.flatMap(({ name }) =>
      ['', 'Create', 'Patch', 'Filter', 'Stored', 'Shape'].map((suffix) => name + suffix),
    );
    for (const { name, nameAt } of found) {
      if (!/^[A-Za-z][A-Za-z0-9]{0,39}$/.test(name) || typeNames.includes(titleOf(name)))
        report(
          'bad-definition-name',
          nameAt,
          `no definition can be named "${name}": it becomes the TypeScript type ` +
            `${titleOf(name)}, so it takes up to 40 letters and digits and the name of no type.`,
        );
    }
    const names = found.map(({ name }) => name);
    for (const node of referring(root)) judgeReference(node, names, report);
    rejectRecursion(found, report);
    for (const at of oversized)
      report(
        'too-deep',
        at,
        `with its definitions written out this has more than ${BOUNDS.schemas} schemas; ` +
          'refer to objects of a type instead, or allow any JSON.',
      );
    for (const { name, nameAt } of unused.names)
      report(
        'unused-definition',
        nameAt,
        `nothing uses the definition "${name}": refer to it by $ref: '#/$defs/${name}', or ` +
          'drop it.',
        { severity: 'warning' },
      );
  }
};

/** Reports a `$ref` that names no schema of `$defs`, or has keys beside it that mean nothing. */
function judgeReference(node: Located, names: readonly string[], report: Report): void {
  const reference = member(node, '$ref');
  const target = text(reference);
  if (reference === undefined || target === undefined) return;
  const name = target.startsWith(LOCAL) ? target.slice(LOCAL.length) : undefined;
  if (name === undefined || !names.includes(name)) {
    const guess = didYouMean(name ?? target, names);
    const there = names.length === 0 ? 'It has none.' : `Declared: ${listed(names)}.`;
    report(
      'unknown-definition',
      reference.at,
      `"${target}" names no schema of this descriptor's $defs.${guess} ${there} Write ` +
        "$ref: '#/$defs/name'.",
    );
  }
  for (const { name: key, nameAt } of members(node)) {
    if (!isBesideRef(key))
      report(
        'misplaced-key',
        nameAt,
        `"${key}" does not go with $ref: the definition says it. Legal beside it are ` +
          `${oneOf(BESIDE_REF.slice(1))}.`,
      );
  }
}

/** Reports each definition that contains itself, directly or through others. */
function rejectRecursion(found: readonly Member[], report: Report): void {
  const circular = onCycles(
    new Map(
      found.map(({ name, node }) => [name, referring(node).map((each) => readName(each))] as const),
    ),
  );
  for (const { name, nameAt } of found) {
    if (circular.has(name))
      report(
        'recursive-definition',
        nameAt,
        `"${name}" contains itself by $ref, so its values could nest without end. A column ` +
          'holds a bounded value: write the levels out, or make it a type and use references.',
      );
  }
}

/** Returns the name that a `$ref` has behind `#/$defs/`; empty if the node has no `$ref`. */
function readName(node: Located): string {
  return (text(member(node, '$ref')) ?? '').slice(LOCAL.length);
}

/** Values that are the author's data and the session's: what looks like a `$ref` there is none. */
const DATA: readonly string[] = ['default', 'enum', 'const', 'session', 'accountSession'];

/** Keys of an object whose members have names that the author chose. */
const NAMED: readonly string[] = ['types', 'properties', '$defs', 'methods'];

/**
 * Returns every schema that has a `$ref`. `isNamed`: the node's members have names that the author
 * chose, so that a property called `$ref` or `default` is no key.
 */
function referring(node: Located, isNamed = false): readonly Located[] {
  if (isNamed) return members(node).flatMap((each) => referring(each.node));
  const own = text(member(node, '$ref')) === undefined ? [] : [node];
  const inner = members(node).filter(({ name }) => !DATA.includes(name));
  return [...own, ...inner.flatMap((each) => referring(each.node, NAMED.includes(each.name)))];
}
