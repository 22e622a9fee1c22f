import { didYouMean } from '../../../src/descriptor/check/did-you-mean.js';
import type { ProblemCode } from '../../../src/descriptor/codes/index.js';
import { fromProperties, onProperties } from '../../../src/descriptor/model/computed.js';
import { standardMethodsOf } from '../../../src/descriptor/model/further-members.js';
import type {
  Location,
  ModelCapability,
  ModelProperty,
  ModelType,
  Problem,
} from '../../../src/descriptor/model.js';
import { page } from '../../invocation.js';
import type { HookFile, HookMember, HookNode } from './read.js';
import { answerStub, methodStub, propertyStub } from './stubs.js';
import { markOf, mayHaveHooks, ownMethodsOf, readMark, writtenFor } from './written-for.js';

const PARTS = ['types', 'methods', 'accountCreated', 'jobs'];
const TYPE_KEYS = [
  ...['check', 'compute', 'computeOn', 'answer', 'inTransaction', 'afterCommit', 'methods'],
];

/** Returns everything that a hook file lacks, or has that nothing asks for. */
export function checkHooks(capability: ModelCapability, file: HookFile | null): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (code: ProblemCode, at: Location, message: string): void => {
    problems.push({ code, at, message });
  };
  const path = hookFileOf(capability);
  if (file !== null) {
    for (const { at, message } of file.syntaxErrors) report('hook-syntax', at, message);
    if (problems.length > 0) return problems;
    const start = { file: path, line: 1, column: 1 };
    if (!mayHaveHooks(capability)) {
      const why = `${capability.name} has no type and no method of its own: delete the file.`;
      report('unknown-hook', start, why);
      return problems;
    }
    if (file.hooks === null) {
      report('unknown-hook', start, 'the file has no `export const hooks`.');
      return problems;
    }
  }
  const hooks: HookNode = file?.hooks ?? EMPTY;
  const absent = `, which is not there yet (${page('reference/hooks.md')} shows a whole one),`;
  const needs = `${path}${file === null ? absent : ''} needs`;
  checkMethods(capability, needs, hooks, report);
  const types = nodeAt(hooks, 'types');
  strange(types, names(capability.types), 'type', `${capability.name} has`, report);
  for (const type of capability.types) {
    const node = nodeAt(types, type.name);
    strange(node, TYPE_KEYS, 'hook', 'a type may have', report);
    checkComputes(needs, type, 'compute', fromProperties(type), node, report);
    checkComputes(needs, type, 'computeOn', onProperties(type), node, report);
    checkAnswer(needs, type, node, report);
    const verbs = standardMethodsOf(type).map(({ row }) => row.verb);
    strange(nodeAt(node, 'methods'), verbs, 'standard method', `${type.name} has`, report);
  }
  return problems;
}

/**
 * Returns the finding of `--check` about a hook file that says that it was written for another form
 * of its descriptor.
 */
export function behind(capability: ModelCapability, file: HookFile): Problem | null {
  const mark = readMark(file.text);
  if (mark === null || mark.hash === writtenFor(capability)) return null;
  return {
    code: 'hook-file-behind',
    severity: 'warning',
    at: { file: file.file, line: mark.line, column: 1 },
    message:
      'the descriptor has changed since this file was written. Read the file again, then make ' +
      `this line: ${markOf(capability)}`,
  };
}

export function hookFileOf({ name }: ModelCapability): string {
  return `capabilities/${name}.hooks.ts`;
}

type Report = (code: ProblemCode, at: Location, message: string) => void;

const EMPTY: HookNode = { kind: 'object', members: new Map(), open: false };

function checkMethods(
  capability: ModelCapability,
  needs: string,
  hooks: HookNode,
  report: Report,
): void {
  const own = ownMethodsOf(capability);
  const node = nodeAt(hooks, 'methods');
  strange(hooks, PARTS, 'part', '`hooks` has', report);
  strange(node, names(own), 'method', `${capability.name} declares`, report);
  for (const method of own) {
    if (has(node, method.name)) continue;
    const what = `nothing implements ${method.name}: ${needs}`;
    report('missing-hook', method.at, `${what}\n${methodStub(method)}`);
  }
}

function checkComputes(
  needs: string,
  type: ModelType,
  part: 'compute' | 'computeOn',
  properties: readonly ModelProperty[],
  node: HookNode,
  report: Report,
): void {
  const given = nodeAt(node, part);
  const what = part === 'compute' ? 'property with `from`' : 'property with `on`';
  strange(given, names(properties), what, `${type.name} has`, report);
  for (const property of properties) {
    if (has(given, property.name)) continue;
    const message = `nothing computes ${type.name}.${property.name}: ${needs}`;
    report('missing-hook', property.at, `${message}\n${propertyStub(type, part, property)}`);
  }
}

/** Complains of a missing function for answered properties, and of one for none. */
function checkAnswer(needs: string, type: ModelType, node: HookNode, report: Report): void {
  const [first] = type.answered ?? [];
  if (first === undefined) {
    if (node.kind !== 'object') return;
    const stray = node.members.get('answer');
    if (stray === undefined) return;
    const why = `answer is called for answered properties, and ${type.name} declares none.`;
    report('unknown-hook', stray.at, why);
  } else if (!has(node, 'answer')) {
    const message = `nothing answers ${type.name}.${first.name}: ${needs}`;
    report('missing-hook', first.at, `${message}\n${answerStub(type)}`);
  }
}

/** Complains of members that nothing asks for: a renamed type would lose its hooks in silence. */
function strange(
  node: HookNode,
  known: readonly string[],
  what: string,
  whose: string,
  report: Report,
): void {
  if (node.kind !== 'object') return;
  for (const [name, { at }] of node.members) {
    if (known.includes(name)) continue;
    const legal = known.length === 0 ? 'none' : known.join(', ');
    report(
      'unknown-hook',
      at,
      `${name} is no ${what}; ${whose} ${legal}.${didYouMean(name, known)}`,
    );
  }
}

function nodeAt(node: HookNode, name: string): HookNode {
  if (node.kind !== 'object') return node;
  const member: HookMember | undefined = node.members.get(name);
  if (member !== undefined) return member.node;
  return node.open ? { kind: 'other' } : EMPTY;
}

/** Returns whether a member is there, or may be. */
function has(node: HookNode, name: string): boolean {
  return node.kind !== 'object' || node.open || node.members.has(name);
}

function names(all: readonly { readonly name: string }[]): readonly string[] {
  return all.map(({ name }) => name);
}
