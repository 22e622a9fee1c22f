import { BOUNDS } from '../bounds.js';
import { onCycles } from '../cycles.js';
import { definitionGraph, LOCAL, referredName, referring } from '../definition-references.js';
import { BESIDE_REF, isBesideRef, titleOf } from '../expand.js';
import { typeOf } from '../kinds.js';
import { items, type Located, type Member, member, members, text } from '../located.js';
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
    judgeRecursion(found, report);
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

/**
 * Reports a recursive definition whose values could never end, and `maxDepth` at a definition that
 * isn't recursive.
 */
function judgeRecursion(found: readonly Member[], report: Report): void {
  const circular = onCycles(definitionGraph(found));
  const ending = endingNames(found);
  for (const { name, nameAt, node } of found) {
    if (circular.has(name) && !ending.has(name))
      report(
        'endless-definition',
        nameAt,
        `every "${name}" would contain another one without end: let the member that leads back ` +
          'be absent, null or an empty list.',
      );
    const depth = node.members?.get('maxDepth');
    if (depth !== undefined && !circular.has(name))
      report(
        'misplaced-key',
        depth.nameAt,
        `"maxDepth" bounds a definition that contains itself, and "${name}" doesn't: leave it out.`,
      );
  }
}

/** Returns the names of the definitions that have a value without end: all but endless ones. */
function endingNames(found: readonly Member[]): ReadonlySet<string> {
  const ending = new Set<string>();
  for (let size = -1; size < ending.size; ) {
    size = ending.size;
    for (const { name, node } of found) if (canEnd(node, ending)) ending.add(name);
  }
  return ending;
}

/** Returns whether a schema has a value if the definitions of these names have one. */
function canEnd(node: Located, ending: ReadonlySet<string>): boolean {
  if (member(node, '$ref') !== undefined) return ending.has(referredName(node));
  if (typeOf(node).nullable) return true;
  const branches = member(node, 'oneOf')?.items;
  if (branches !== undefined) return branches.some((branch) => canEnd(branch, ending));
  const needs = (key: string, least: string): boolean => {
    const inner = member(node, key);
    const count = member(node, least)?.value;
    return inner === undefined || !(Number(count) > 0) || canEnd(inner, ending);
  };
  const required = items(member(node, 'required')).flatMap((item) => text(item) ?? []);
  const all = member(node, 'properties');
  return (
    needs('items', 'minItems') &&
    needs('additionalProperties', 'minProperties') &&
    required.every((name) => {
      const inner = member(all, name);
      return inner === undefined || canEnd(inner, ending);
    })
  );
}
