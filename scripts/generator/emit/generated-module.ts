import { posix } from 'node:path';
import type {
  ImportDeclarationStructure,
  InterfaceDeclarationStructure,
  OptionalKind,
  PropertySignatureStructure,
  Structures,
} from 'ts-morph';
import { byCodeUnit } from '../../../src/descriptor/order.js';
import { printStructure, StructureKind, VariableDeclarationKind } from '../ts-morph.js';
import { literal, withoutHidden } from './code.js';
import { preamble } from './preamble.js';

/** A module from which another one imports names. */
export interface Source {
  /** A package, or a file by its path from the root: `./generated/todos/Todo.types.js`. */
  readonly from: string;
  /** The name of the whole module: `jmap` of `jmap.JsonValue`. Absent: imported name by name. */
  readonly as?: string;
}

/** A name that is imported, under another one if two sources export it. */
interface ImportedName {
  readonly name: string;
  readonly alias: string;
  isType: boolean;
}

/** The names that a module imports from one source. */
interface Import {
  readonly source: Source;
  /** By their local names; none of a source that is imported as a whole. */
  readonly names: Map<string, ImportedName>;
  isType: boolean;
}

/** A constant to add. `words` is its doc comment. */
export interface ConstantOptions {
  readonly name: string;
  /** Absent: the type of the value. */
  readonly type?: string;
  /** As `literal` takes it. */
  readonly value: unknown;
  readonly words?: string;
  readonly exported?: boolean;
}

/** An interface to add. `words` is its doc comment. */
export interface InterfaceOptions {
  readonly name: string;
  readonly words?: string;
  readonly typeParameters?: readonly string[];
  readonly extends?: string;
  readonly members: readonly Member[];
  /** The type of further members, whatever they are called. */
  readonly further?: string;
  /** Types of further members by the type of their names. */
  readonly indexes?: readonly { readonly names: string; readonly type: string }[];
}

/** A function to add. `body` is its statement. */
export interface FunctionOptions {
  readonly name: string;
  readonly words: string;
  readonly typeParameters?: readonly string[];
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
  readonly returns: string;
  readonly body: string;
}

/** Types of another module to export again. */
export interface TypeExport {
  readonly source: Source;
  /** Their names here, by their names there; absent for all of the module, as they are. */
  readonly names?: ReadonlyMap<string, string>;
}

/** A member of an interface or of an object type; members are readonly. */
export interface Member {
  /** As the descriptor has it; it is quoted where TypeScript wants that. */
  readonly name: string;
  readonly type: string;
  readonly words?: string;
  readonly isOptional?: boolean;
}

const LAYOUT = { indentNumberOfSpaces: 2, useSingleQuote: true } as const;

/**
 * A TypeScript module in the making. Asking for a name of another module adds its import: as a
 * type, until somebody asks for a value. ts-morph prints the declarations, in order.
 */
export class GeneratedModule {
  readonly #path: string;
  readonly #from: string;
  readonly #imports = new Map<string, Import>();
  readonly #statements: string[] = [];
  readonly #types: string[] = [];

  /** `path` from the project's root; `from`: what the module is generated from. */
  constructor(path: string, from: string) {
    this.#path = path;
    this.#from = from;
  }

  /** The names of the types that it exports, in order. */
  get exportedTypes(): readonly string[] {
    return this.#types;
  }

  /** Imports a type and returns its name here: `jmap.JsonValue`. */
  type(source: Source, name: string): string {
    return this.#importName(source, name, name, true);
  }

  /** Imports a value and returns its name here. An alias is for a source without `as`. */
  value(source: Source, name: string, alias = name): string {
    return this.#importName(source, name, alias, false);
  }

  /** Imports a source that has an `as`, and returns that. */
  all(source: Source & { readonly as: string }): string {
    this.#findImport(source).isType = false;
    return source.as;
  }

  /** Adds an exported interface. */
  addInterface(options: InterfaceOptions): void {
    this.#types.push(options.name);
    this.#add({
      kind: StructureKind.Interface,
      isExported: true,
      name: options.name,
      docs: docsOf(options.words),
      typeParameters: [...(options.typeParameters ?? [])],
      ...(options.extends === undefined ? {} : { extends: [options.extends] }),
      ...structureMembers(options),
    });
  }

  /** Adds an exported type under a name; `type` is TypeScript. */
  addTypeAlias(name: string, type: string, words?: string): void {
    const docs = docsOf(words);
    this.#types.push(name);
    this.#add({
      kind: StructureKind.TypeAlias,
      isExported: true,
      name,
      docs,
      type: holdLines(type),
    });
  }

  /** Adds a constant, whose value is laid out within the width of a line. */
  addConstant({ name, type, value, words, exported = true }: ConstantOptions): void {
    const annotation = type === undefined ? '' : `: ${type}`;
    const head = `${exported ? 'export ' : ''}const ${name}${annotation} = ;`;
    this.#add({
      kind: StructureKind.VariableStatement,
      isExported: exported,
      docs: docsOf(words),
      declarationKind: VariableDeclarationKind.Const,
      declarations: [
        {
          name,
          ...(type === undefined ? {} : { type }),
          initializer: holdLines(literal(value, 0, head.length)),
        },
      ],
    });
  }

  /** Adds an exported function. */
  addFunction({ name, words, typeParameters = [], parameters, returns, body }: FunctionOptions) {
    this.#add({
      kind: StructureKind.Function,
      isExported: true,
      name,
      docs: docsOf(words),
      typeParameters: [...typeParameters],
      parameters: parameters.map((parameter) => ({ ...parameter })),
      returnType: returns,
      statements: [body],
    });
  }

  /** Exports types of other modules again: all of each, or those named, under other names. */
  addExports(exports: readonly TypeExport[]): void {
    const lines = exports.map(({ source, names }) =>
      printHeld({
        kind: StructureKind.ExportDeclaration,
        isTypeOnly: true,
        moduleSpecifier: this.#resolveSpecifier(source),
        ...(names === undefined
          ? {}
          : {
              namedExports: [...names].map(([name, alias]) =>
                alias === name ? { name } : { name, alias },
              ),
            }),
      }),
    );
    this.#statements.push(lines.join('\n'));
  }

  /** Returns the module's text: preamble, imports from far to near, then all that was added. */
  toString(): string {
    const imports = [...this.#imports.values()]
      .map((one) => ({ ...one, specifier: this.#resolveSpecifier(one.source) }))
      .sort((a, b) => byNearness(a.specifier, b.specifier))
      .map((one) => printHeld({ kind: StructureKind.ImportDeclaration, ...structureImport(one) }));
    const parts = [...(imports.length === 0 ? [] : [imports.join('\n')]), ...this.#statements];
    return `${preamble(this.#from)}${parts.join('\n\n')}\n`;
  }

  /** Prints a structure behind those that were added before. */
  #add(structure: Structures): void {
    this.#statements.push(printHeld(structure));
  }

  /** Imports a name and returns how the module writes it. A value import covers a type import. */
  #importName(source: Source, name: string, alias: string, isType: boolean): string {
    const imported = this.#findImport(source);
    imported.isType &&= isType;
    if (source.as !== undefined) return `${source.as}.${name}`;
    const known = imported.names.get(alias);
    if (known === undefined) imported.names.set(alias, { name, alias, isType });
    else known.isType &&= isType;
    return alias;
  }

  /** Returns the import from a source, a new one at its first use. */
  #findImport(source: Source): Import {
    const key = `${source.as ?? ''} ${source.from}`;
    const known = this.#imports.get(key);
    if (known !== undefined) return known;
    const made = { source, names: new Map(), isType: true };
    this.#imports.set(key, made);
    return made;
  }

  /** Returns a source as an import of this module names it. */
  #resolveSpecifier({ from }: Source): string {
    if (!from.startsWith('./')) return from;
    const path = posix.relative(posix.dirname(this.#path), from);
    return path.startsWith('.') ? path : `./${path}`;
  }
}

/** Prints an object type: an interface without its head. */
export function objectType(options: Pick<InterfaceOptions, 'members' | 'further'>): string {
  const text = printHeld({
    kind: StructureKind.Interface,
    name: '_',
    ...structureMembers(options),
  });
  return text.slice(text.indexOf('{'));
}

/** Returns words with the tag by which editors strike names through. */
export function deprecatedWords(words: string, deprecated: string | undefined): string {
  if (deprecated === undefined) return words;
  return [words, `@deprecated ${deprecated}`].filter((part) => part !== '').join('\n\n');
}

/** Returns a member's name as TypeScript has it. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

/** Returns the structure of an import, with its names in order. */
function structureImport({
  source,
  names,
  isType,
  specifier,
}: Import & { readonly specifier: string }): OptionalKind<ImportDeclarationStructure> {
  if (source.as !== undefined)
    return { isTypeOnly: isType, namespaceImport: source.as, moduleSpecifier: specifier };
  const named = [...names.values()].sort((a, b) => byCodeUnit(a.alias, b.alias));
  return {
    isTypeOnly: isType,
    moduleSpecifier: specifier,
    namedImports: named.map((one) => ({
      name: one.name,
      isTypeOnly: !isType && one.isType,
      ...(one.alias === one.name ? {} : { alias: one.alias }),
    })),
  };
}

/** Compares two specifiers: packages come first, then files, each in order of their names. */
function byNearness(a: string, b: string): number {
  return Number(a.startsWith('.')) - Number(b.startsWith('.')) || byCodeUnit(a, b);
}

/** Returns the structures of an interface's members, and of its index signature. */
function structureMembers({
  members,
  further,
  indexes = [],
}: Pick<InterfaceOptions, 'members' | 'further' | 'indexes'>): Pick<
  InterfaceDeclarationStructure,
  'properties' | 'indexSignatures'
> {
  const properties = members.map(
    ({ name, type, words, isOptional = false }): OptionalKind<PropertySignatureStructure> => ({
      name: memberName(name),
      isReadonly: true,
      hasQuestionToken: isOptional,
      docs: docsOf(words),
      type: holdLines(type),
    }),
  );
  const all = [...indexes, ...(further === undefined ? [] : [{ names: 'string', type: further }])];
  if (all.length === 0) return { properties };
  const indexSignatures = all.map(({ names, type }) => ({
    isReadonly: true,
    keyName: 'name',
    keyType: names,
    returnType: holdLines(type),
  }));
  return { properties, indexSignatures };
}

/** Returns words of a descriptor as a doc comment, which they can't end. */
function docsOf(words = ''): string[] {
  const text = withoutHidden(words).replaceAll('*/', '* /').trim();
  if (text === '') return [];
  const lines = text.split('\n').map((line) => line.trimEnd());
  return [lines.length === 1 ? text : ['', ...lines].join('\n')];
}

/**
 * ts-morph puts every further line of a type or of an initializer one level deeper. It sees no line
 * end in what is held: `printHeld` ends the lines afterwards.
 */
const LINE_END = '\u0085';

/**
 * Returns a text with its line ends replaced, so that the printer doesn't indent its lines twice.
 */
function holdLines(text: string): string {
  return text.replaceAll('\n', LINE_END);
}

/** Prints a structure, and brings back the line ends that `holdLines` replaced. */
function printHeld(structure: Structures): string {
  const text = printStructure(structure, LAYOUT).trimEnd();
  const lines = text.replace(/\{\n\}$/, '{}').split('\n');
  return lines
    .map((line) => {
      const indentation = /^ */.exec(line)?.[0] ?? '';
      return line.replaceAll(LINE_END, `\n${indentation}`);
    })
    .join('\n');
}
