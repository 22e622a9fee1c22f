import { quoted } from './code.js';

/**
 * The structures of ts-morph that modules are made of, printed as its `printStructure` prints them
 * (a test compares). ts-morph itself is not loaded: it brings the whole TypeScript compiler, which
 * takes longer than emitting thirty types.
 */
export interface ImportStructure {
  readonly moduleSpecifier: string;
  readonly isTypeOnly?: boolean;
  readonly namespaceImport?: string;
  readonly namedImports?: readonly { readonly name: string; readonly alias?: string }[];
}

export interface InterfaceStructure {
  readonly leadingTrivia?: string;
  readonly docs?: readonly string[];
  readonly isExported?: boolean;
  readonly name: string;
  readonly properties: readonly {
    readonly isReadonly?: boolean;
    readonly name: string;
    readonly type: string;
  }[];
}

/** A structure, or text that stands for itself. */
export type Statement = ImportStructure | InterfaceStructure | string;

export function printStatement(statement: Statement): string {
  if (typeof statement === 'string') return statement;
  return 'moduleSpecifier' in statement ? printImport(statement) : printInterface(statement);
}

function printImport(structure: ImportStructure): string {
  const { isTypeOnly = false, moduleSpecifier, namespaceImport, namedImports = [] } = structure;
  const names = namedImports.map(({ name, alias }) =>
    alias === undefined ? name : `${name} as ${alias}`,
  );
  const what =
    namespaceImport === undefined ? `{ ${names.join(', ')} }` : `* as ${namespaceImport}`;
  return `import ${isTypeOnly ? 'type ' : ''}${what} from ${quoted(moduleSpecifier)};`;
}

function printInterface(structure: InterfaceStructure): string {
  const { isExported = false, leadingTrivia = '', docs = [], name, properties } = structure;
  const lines = [
    ...docs.map((words) => `/** ${words} */`),
    `${isExported ? 'export ' : ''}interface ${name} {`,
    ...properties.map(
      (property) =>
        `  ${property.isReadonly ? 'readonly ' : ''}${property.name}: ${property.type};`,
    ),
    '}',
    '',
  ];
  return leadingTrivia + lines.join('\n');
}
