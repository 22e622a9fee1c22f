import { printStructure, StructureKind } from 'ts-morph';
import { expect, test } from 'vitest';
import {
  type ImportStructure,
  type InterfaceStructure,
  printStatement,
} from '../../../../scripts/generator/emit/structures.js';

const IMPORTS: readonly ImportStructure[] = [
  { moduleSpecifier: './a.js', namedImports: [{ name: 'one' }] },
  { moduleSpecifier: "./it's.js", namedImports: [{ name: 'one', alias: 'two' }, { name: 'b' }] },
  { moduleSpecifier: 'pkg', namedImports: [{ name: 'One' }], isTypeOnly: true },
  { moduleSpecifier: 'pkg/part', namespaceImport: 'part', isTypeOnly: true },
  { moduleSpecifier: '../part.js', namespaceImport: 'part', isTypeOnly: false },
];

const INTERFACES: readonly InterfaceStructure[] = [
  {
    name: 'Shape',
    isExported: true,
    docs: ['What it is.'],
    properties: [
      { name: 'object', isReadonly: true, type: 'wire.Todo' },
      { name: 'patch', type: 'wire.TodoPatch' },
    ],
  },
  { name: 'Shape', leadingTrivia: '\n', properties: [{ name: 'a', type: 'string' }] },
];

const OPTIONS = { indentNumberOfSpaces: 2, useSingleQuote: true, newLine: '\n' } as const;

test.each(IMPORTS)('an import is printed as ts-morph prints it: $moduleSpecifier', (structure) => {
  const { namedImports = [], ...rest } = structure;
  const whole = { ...rest, namedImports: [...namedImports] };
  const theirs = printStructure({ kind: StructureKind.ImportDeclaration, ...whole }, OPTIONS);
  expect(printStatement(structure)).toBe(theirs);
});

test.each(INTERFACES)('an interface is printed as ts-morph prints it', (structure) => {
  const { docs = [], properties, ...rest } = structure;
  const whole = { ...rest, docs: [...docs], properties: [...properties] };
  const theirs = printStructure({ kind: StructureKind.Interface, ...whole }, OPTIONS);
  expect(printStatement(structure).trimEnd()).toBe(theirs);
});
