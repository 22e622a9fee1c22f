import type { JSONSchema7 } from 'json-schema';
import { compile } from 'json-schema-to-typescript';
import type { ts as TypeScript } from 'ts-morph';
import { ts } from '../ts-morph.js';
import { literal, withoutHidden } from './code.js';
import {
  type GeneratedModule,
  type InterfaceOptions,
  type Member,
  objectType,
} from './generated-module.js';
import { lean } from './lean-schema.js';

/** A name and the schema of what it stands for. */
export type NamedSchema = readonly [name: string, schema: JSONSchema7];

/**
 * Adds exported types of the schemas, in the order given; every member and list is readonly.
 * `bases` has what an interface extends. The types depend on nothing but the schemas.
 */
export async function addWireTypes(
  module: GeneratedModule,
  types: readonly NamedSchema[],
  bases: ReadonlyMap<string, string> = new Map(),
): Promise<void> {
  for (const [name, schema] of types) {
    const text = await compile({ ...lean(schema), title: name } as never, name, {
      format: false,
      bannerComment: '',
      // Tuples of up to a thousand items are no help to anyone.
      ignoreMinAndMaxItems: true,
      additionalProperties: false,
      cwd: '/',
    });
    new Declarations(withoutHidden(text)).addTo(module, bases);
  }
}

/** The output of json-schema-to-typescript, which knows neither `readonly` nor layout. */
class Declarations {
  readonly #source: TypeScript.SourceFile;

  constructor(text: string) {
    this.#source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ES2023);
  }

  addTo(module: GeneratedModule, bases: ReadonlyMap<string, string>): void {
    for (const statement of this.#source.statements) {
      const words = this.#wordsOf(statement);
      if (ts.isInterfaceDeclaration(statement)) {
        const name = statement.name.text;
        const base = bases.get(name);
        module.addInterface({
          name,
          words,
          ...(base === undefined ? {} : { extends: base }),
          ...this.#bodyOf(statement.members),
        });
      } else if (ts.isTypeAliasDeclaration(statement)) {
        module.addTypeAlias(statement.name.text, this.#textOf(statement.type), words);
      } else throw new Error(`No type: ${statement.getText(this.#source)}`);
    }
  }

  #bodyOf(
    elements: readonly TypeScript.TypeElement[],
  ): Pick<InterfaceOptions, 'members' | 'further'> {
    const index = elements.find(ts.isIndexSignatureDeclaration);
    return {
      members: elements.filter(ts.isPropertySignature).map((element) => this.#memberOf(element)),
      ...(index === undefined ? {} : { further: this.#textOf(index.type) }),
    };
  }

  #memberOf(element: TypeScript.PropertySignature): Member {
    const { name, type, questionToken } = element;
    return {
      name: ts.isComputedPropertyName(name) ? name.getText(this.#source) : name.text,
      type: type === undefined ? 'unknown' : this.#textOf(type),
      words: this.#wordsOf(element),
      isOptional: questionToken !== undefined,
    };
  }

  #textOf(type: TypeScript.TypeNode): string {
    if (ts.isParenthesizedTypeNode(type)) return this.#textOf(type.type);
    if (ts.isTypeLiteralNode(type)) return this.#objectText(type.members);
    if (ts.isUnionTypeNode(type)) return type.types.map((each) => this.#textOf(each)).join(' | ');
    if (ts.isArrayTypeNode(type)) return `readonly ${this.#itemOf(type.elementType)}[]`;
    if (ts.isLiteralTypeNode(type) && ts.isStringLiteral(type.literal))
      return literal(type.literal.text);
    return type.getText(this.#source);
  }

  #objectText(elements: readonly TypeScript.TypeElement[]): string {
    const { members, further } = this.#bodyOf(elements);
    if (members.length === 0 && further !== undefined)
      return `Readonly<Record<string, ${further}>>`;
    return objectType({ members, ...(further === undefined ? {} : { further }) });
  }

  /** Returns the type of a list's items, in brackets where it would be read otherwise. */
  #itemOf(type: TypeScript.TypeNode): string {
    if (ts.isParenthesizedTypeNode(type)) return this.#itemOf(type.type);
    const text = this.#textOf(type);
    return ts.isUnionTypeNode(type) || ts.isArrayTypeNode(type) ? `(${text})` : text;
  }

  /** Returns the words of the comment in front of a node. */
  #wordsOf(node: TypeScript.Node): string {
    const all = this.#source.text;
    const comment = ts.getLeadingCommentRanges(all, node.pos)?.at(-1);
    if (comment === undefined) return '';
    const lines = all.slice(comment.pos, comment.end).split('\n').slice(1, -1);
    return lines.map((line) => line.replace(/^\s*\* ?/, '')).join('\n');
  }
}
