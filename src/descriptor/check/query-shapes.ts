import { singleReference } from '../../capability/named-references.js';
import { member, members } from '../located.js';
import type { NameView } from '../name-view.js';
import type { PropertyView } from '../property-view.js';
import { STANDARD_METHODS } from '../standard-methods.js';
import type { TypeView } from '../view.js';
import { whyNoMemberName } from './reserved.js';
import { eachType, type Report } from './rule.js';
import { findProperty } from './types.js';

/** Refuses shapes of results by what can't give them, and arguments that /query has already. */
export const queryShapes = eachType((type, report) => {
  if (type.shapes === undefined) return;
  const { collapse, tree } = type.shapes;
  judgeMethods(type, report);
  if (collapse?.by !== undefined) judgeGroup(type, collapse.by, report);
  if (tree?.by !== undefined) judgeTree(type, tree.by, report);
  const names = [collapse?.argument, tree?.sort, tree?.filter];
  judgeArguments(
    type,
    names.filter((name) => name !== undefined),
    report,
  );
  const at = member(member(type.node, 'query'), 'tree')?.at;
  if (tree !== undefined && tree.sort === undefined && tree.filter === undefined)
    report(
      'bad-shape',
      at ?? type.nameAt,
      `the tree of ${type.name} needs an argument: sort: sortAsTree, or filter: filterAsTree.`,
    );
});

function judgeMethods(type: TypeView, report: Report): void {
  const names = type.standardMethods?.map(({ name }) => name);
  if (type.singleton ? false : names === undefined || names.includes('query')) return;
  report(
    'bad-shape',
    type.node.members?.get('query')?.nameAt ?? type.nameAt,
    `"query" is about the results of /query, which ${type.name} does not have.`,
  );
}

/** Returns the property of a shape that clients read; reports another one. */
function readableProperty(type: TypeView, by: NameView, report: Report): PropertyView | undefined {
  const property = findProperty(type, by, report);
  const access = property?.access;
  if (access !== 'internal' && access !== 'secret') return property;
  report(
    'hidden-property',
    by.at,
    `"${by.name}" is ${access}: results in the shape would tell clients what they may not see.`,
  );
  return undefined;
}

function judgeGroup(type: TypeView, by: NameView, report: Report): void {
  const property = readableProperty(type, by, report);
  if (property?.kind === undefined || property.kind === 'string') return;
  report(
    'bad-shape',
    by.at,
    `"${by.name}" can't collapse results: only a string can, such as the id of an object.`,
  );
}

function judgeTree(type: TypeView, by: NameView, report: Report): void {
  const property = readableProperty(type, by, report);
  if (property?.kind === undefined) return;
  const reference = property.references.find(
    (each) => each === singleReference(property) && each.target.name === type.name,
  );
  const why =
    reference === undefined
      ? `is no reference to one ${type.name}`
      : reference.acyclic
        ? undefined
        : 'may lead in a circle: say acyclic: true';
  if (why !== undefined)
    report('bad-shape', by.at, `"${by.name}" makes no tree of ${type.name}: it ${why}.`);
}

/** Reports arguments that /query or /queryChanges has, and names that no argument can have. */
function judgeArguments(type: TypeView, names: readonly NameView[], report: Report): void {
  const methods = ['query', 'queryChanges'];
  const standard = STANDARD_METHODS.filter(({ verb }) => methods.includes(verb)).flatMap((row) =>
    Object.keys(row.arguments.properties ?? {}),
  );
  const further = (type.standardMethods ?? [])
    .filter(({ name }) => methods.includes(name))
    .flatMap(({ node }) => members(member(member(node, 'arguments'), 'properties')))
    .map(({ name }) => name);
  const taken = new Set([...standard, ...further]);
  for (const { name, at } of names) {
    const why = name.startsWith('#')
      ? 'a name with # in front is a result reference'
      : whyNoMemberName(name);
    if (why !== undefined) report('bad-shape', at, `no argument can be named "${name}": ${why}.`);
    else if (taken.has(name))
      report(
        'duplicate-argument',
        at,
        `"${name}" is in the arguments of ${type.name}/query already; choose another name.`,
      );
    taken.add(name);
  }
}
