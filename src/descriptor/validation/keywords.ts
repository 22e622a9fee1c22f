import { _, type Ajv, type Code, type KeywordCxt, Name, nil } from 'ajv';
import type { FORMATS, Format, FormatName } from '../../capability/formats/index.js';
import type { noteBranch } from '../../capability/runtime.js';
import { addUnions } from './union-keyword.js';

/**
 * Keywords for what JSON Schema can't say, each emitted inline as a call of a function that
 * `jmapsmith/capability` exports. In the generator itself (checking defaults) the same code runs
 * against the functions given here.
 */
export interface Runtime {
  readonly noteBranch: typeof noteBranch;
  readonly FORMATS: typeof FORMATS;
  readonly isInexact: (value: unknown) => boolean;
  readonly compilePattern: (source: string) => { test(text: string): boolean };
}

export const RUNTIME_MODULE = 'jmapsmith/capability';

/** The keywords that judge by a format, and what of the format does. */
const FORMAT_KEYWORDS = Object.freeze({
  format: 'isLegal',
  canonicalFormat: 'isCanonical',
} satisfies Readonly<Record<string, keyof Format>>);

/** Adds the keywords to ajv, and takes the place of its own `pattern` and `format`. */
export function addKeywords(ajv: Ajv, runtime: Runtime): void {
  ajv.addKeyword({
    // A string that every database can store: PostgreSQL's text has no U+0000.
    keyword: 'storable',
    type: 'string',
    schemaType: 'boolean',
    error: { message: 'must not contain U+0000' },
    code: (cxt) => cxt.fail(_`${cxt.data}.includes("\\u0000")`),
  });
  addPattern(ajv, runtime);
  addFormats(ajv, runtime);
  addNumbers(ajv, runtime);
  addUnions(ajv, (cxt) => importName(cxt, runtime, 'noteBranch'));
  ajv.addKeyword({
    // Here a definition that contains itself has reached the depth that it may have.
    keyword: 'beyondDepth',
    schemaType: 'number',
    error: {
      message: ({ schema }) => `lies deeper than the ${String(schema)} levels that may nest`,
    },
    code: (cxt) => cxt.fail(_`true`),
  });
}

/** Matches by a function of ours: ajv's makes a RegExp, whose time a client could make explode. */
function addPattern(ajv: Ajv, runtime: Runtime): void {
  ajv.removeKeyword('pattern');
  ajv.addKeyword({
    keyword: 'pattern',
    type: 'string',
    schemaType: 'string',
    error: { message: ({ schema }) => `must match pattern "${String(schema)}"` },
    code: (cxt) => {
      const { data, gen } = cxt;
      const source = String(cxt.schema);
      const pattern = gen.scopeValue('pattern', {
        key: source,
        ref: runtime.compilePattern(source),
        code: _`${importName(cxt, runtime, 'compilePattern')}(${source})`,
      });
      const most: unknown = cxt.parentSchema['maxLength'];
      const isTried = typeof most === 'number' ? _`${data}.length <= ${2 * most} && ` : nil;
      // A text that is too long for certain is refused by `maxLength`.
      cxt.fail(_`${isTried}!${pattern}.test(${data})`);
    },
  });
}

/** Judges strings by the rows of `FORMATS`. */
function addFormats(ajv: Ajv, runtime: Runtime): void {
  ajv.removeKeyword('format');
  for (const [keyword, member] of Object.entries(FORMAT_KEYWORDS)) {
    ajv.addKeyword({
      keyword,
      type: 'string',
      schemaType: 'string',
      error: { message: ({ schema }) => runtime.FORMATS[schema as FormatName].message },
      code: (cxt) => {
        const name = cxt.schema as FormatName;
        const check = cxt.gen.scopeValue('formats', {
          key: `${name} ${member}`,
          ref: runtime.FORMATS[name][member],
          code: _`${importName(cxt, runtime, 'FORMATS')}[${name}].${new Name(member)}`,
        });
        cxt.fail(_`!${check}(${cxt.data})`);
      },
    });
  }
}

/** Handles numbers that a double can't hold: the JSON reader hands them over as objects. */
function addNumbers(ajv: Ajv, runtime: Runtime): void {
  ajv.addKeyword({
    // An inexact number is an instance of a class of ours; it is no object of the client's.
    keyword: 'noNumber',
    schemaType: 'boolean',
    before: 'allOf',
    error: { message: 'must be object' },
    code: (cxt) => cxt.fail(_`${importName(cxt, runtime, 'isInexact')}(${cxt.data})`),
  });
  ajv.addKeyword({
    // RFC 8620 1.3 Number: an inexact number becomes the nearest double; 1e400 has none.
    keyword: 'nearest',
    schemaType: 'boolean',
    before: 'allOf',
    modifying: true,
    code: (cxt) => {
      const { gen, data, it } = cxt;
      const isInexact = importName(cxt, runtime, 'isInexact');
      gen.if(_`${isInexact}(${data}) && isFinite(${data}.value)`, () => {
        gen.assign(data, _`${data}.value`);
        gen.assign(parentMember(it.parentData, it.parentDataProperty), data);
      });
    },
  });
}

/** Makes emitted code import a function of the runtime module; returns its name there. */
function importName({ gen }: KeywordCxt, runtime: Runtime, name: keyof Runtime): Name {
  return gen.scopeValue('func', {
    ref: runtime[name],
    code: _`require(${RUNTIME_MODULE}).${new Name(name)}`,
  });
}

/** Returns the code of a member of the value's parent, for keywords that replace values. */
function parentMember(parent: Name, property: Code | number): Code {
  return _`${parent}[${property}]`;
}
